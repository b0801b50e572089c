// The values of rule sets, from the server. The page shows them; it applies none of them.
import { signal } from "@preact/signals";
import type { RuleSet } from "../../gen/tarot/rules/v1/rule_set_pb";
import { RuleSetService, type RuleSetInfo } from "../../gen/tarot/rules/v1/rule_set_service_pb";
import { call } from "../wire/call";

export const ruleSets = signal<readonly RuleSetInfo[]>([]);
let asked = false;

export function loadRuleSets() {
  if (asked) return;
  asked = true;
  call(RuleSetService.method.listRuleSets, {})
    .then((answer) => { ruleSets.value = answer.ruleSets; })
    .catch(() => { asked = false; });
}

/** Returns the values of a table's rules, or nothing while they are not known. */
export function rulesOf(table: { ruleSet: string; rules?: RuleSet } | undefined): RuleSet | undefined {
  if (!table) return undefined;
  return table.rules ?? ruleSets.value.find((info) => info.name === table.ruleSet)?.rules;
}
