/** One request and its answer, as a report may show them: without keys and permits. */
export interface Exchange {
  /** Who asked, in words. */
  who: string;
  method: string;
  path: string;
  request: string;
  status: number;
  answer: string;
}
