// Gets the score sheet of a table. This is a file of its own, because a table needs it only after
// its first view.
import { RecordService } from "../../gen/tarot/rules/v1/record_service_pb";
import type { ScoreSheet } from "../../gen/tarot/rules/v1/score_sheet_pb";
import { call } from "../wire/call";

export const scoreSheet = async (name: string): Promise<ScoreSheet | undefined> =>
  (await call(RecordService.method.getScoreSheet, { name })).sheet;
