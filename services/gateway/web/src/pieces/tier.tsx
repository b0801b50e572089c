// Shows the tier of a player as a small card with a letter. The tier comes from the server.
import { Rating_Tier, type Rating } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { w } from "../words";

const LETTERS = ["", "V", "C", "D", "R", "21"];
export const TIERS = ["", "Valet", "Cavalier", "Dame", "Roi", "Vingt-et-un"] as const;

export const TierMark = ({ tier }: { tier: Rating_Tier }) => (tier === Rating_Tier.TIER_UNSPECIFIED ? null : (
  <span class={`tier ${tier === Rating_Tier.VINGT_ET_UN ? "top" : ""}`} role="img" aria-label={`${w().tier} ${TIERS[tier]}`}>{LETTERS[tier]}</span>
));

export const Tier = ({ of }: { of: Rating }) => <TierMark tier={of.tier} />;
