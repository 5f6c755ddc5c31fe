/** Time and size limits; tests use shorter ones. */
export interface UpstreamPatience {
  connectMs: number;
  /** Time for the answer to one request, except a call. */
  requestMs: number;
  /** Time for all pages of the tool list together. */
  listMs: number;
  /** The most time for the answer to a call, even if the server's configured timeout is longer. */
  callMs: number;
  /** Time to find out which revision a server speaks. */
  probeMs: number;
  /** Back-off after the first failure; it doubles after each. */
  firstPauseMs: number;
  longestPauseMs: number;
  mostAnswerBytes: number;
}

export const USUAL_PATIENCE: UpstreamPatience = {
  // A command may have to be downloaded before it starts.
  connectMs: 60_000,
  requestMs: 20_000,
  listMs: 60_000,
  callMs: Number.POSITIVE_INFINITY,
  probeMs: 10_000,
  firstPauseMs: 1000,
  longestPauseMs: 60_000,
  mostAnswerBytes: 1024 * 1024,
};
