// Gets the ratings of players. This is a file of its own, so that the first screen loads without
// it.
import { RatingService, type Rating } from "../../gen/tarot/ratings/v1/rating_service_pb";
import { call } from "../wire/call";

export const ownRating = async (player: string, playerCount: number): Promise<Rating | undefined> =>
  (await call(RatingService.method.getRating, { player, playerCount })).rating;

export const ratingsOf = async (players: string[], playerCount: number): Promise<ReadonlyMap<string, Rating>> => {
  const { ratings } = await call(RatingService.method.batchGetRatings, { players, playerCount });
  return new Map(ratings.map((rating) => [rating.player, rating]));
};
