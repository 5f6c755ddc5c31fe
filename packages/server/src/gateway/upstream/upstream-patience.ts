/** How long things may take, and how much may come; tests are less patient. */
export interface UpstreamPatience {
  connectMs: number;
  /** For the answer to one question but a call. */
  requestMs: number;
  /** For all pages of its list of tools together. */
  listMs: number;
  /** For the answer to a call, whatever the server was given. */
  callMs: number;
  /** Of the question which revision a server speaks. */
  probeMs: number;
  /** After the first failure; twice as long after each. */
  firstPauseMs: number;
  longestPauseMs: number;
  mostAnswerBytes: number;
}

export const USUAL_PATIENCE: UpstreamPatience = {
  // A command may have to be fetched before it starts.
  connectMs: 60_000,
  requestMs: 20_000,
  listMs: 60_000,
  callMs: Number.POSITIVE_INFINITY,
  probeMs: 10_000,
  firstPauseMs: 1000,
  longestPauseMs: 60_000,
  mostAnswerBytes: 1024 * 1024,
};
