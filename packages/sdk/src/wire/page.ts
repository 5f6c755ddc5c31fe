/** One page of items, newest first by default. */
export interface Page<T> {
  data: T[];
  /** Pass it as `cursor` to get the next page. Null on the last one. */
  next_cursor: string | null;
}
