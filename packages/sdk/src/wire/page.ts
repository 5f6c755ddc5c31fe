/** One page of something, newest first unless asked otherwise. */
export interface Page<T> {
  data: T[];
  /** Give it as `cursor` for the next page; null on the last one. */
  next_cursor: string | null;
}
