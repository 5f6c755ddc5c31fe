/** One request and its response in a form for reports: without keys and permits. */
export interface Exchange {
  /** The caller, in words. */
  who: string;
  method: string;
  path: string;
  request: string;
  status: number;
  answer: string;
}
