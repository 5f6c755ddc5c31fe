/** Options of every call. */
export interface CallOptions {
  /** Aborts the call. The call then rejects with the signal's reason, as `fetch` does. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for each HTTP call, from sending to the last byte of the answer. Default: the client's. */
  timeoutMs?: number | undefined;
  /**
   * 1 to 255 printable ASCII characters. Default: a new key for every POST. The error carries the key when you should
   * retry.
   */
  idempotencyKey?: string | undefined;
}
