/** What every call takes. */
export interface CallOptions {
  /** Ends the call at once; it then rejects with the signal's reason, as `fetch` does. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for each HTTP call, from sending to the last byte of the answer. Default: the client's. */
  timeoutMs?: number | undefined;
  /** 1 to 255 printable ASCII characters. Left out: made for every POST, and told by the error when one is to be repeated. */
  idempotencyKey?: string | undefined;
}
