// Shows the person's own rating in the lobby, with its tier.
import type { Rating } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { w } from "../words";
import { Tier } from "./tier";

export const OwnRating = ({ own }: { own: Rating }) => (
  <div class="row"><Tier of={own} />
    <div class="grow"><b>{Math.round(own.rating)} ± {Math.round(own.deviation)}</b><p class="muted s">{own.rank ? w().lobby.place(own.rank) : ""}</p></div></div>
);
