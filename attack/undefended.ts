import type { Exchange } from './range/exchange.ts';

/** The gate did not do what the case requires. */
export class Undefended extends Error {
  readonly exchange: Exchange | undefined;

  constructor(why: string, exchange?: Exchange) {
    super(why);
    this.name = 'Undefended';
    this.exchange = exchange;
  }
}

/** The case lacks something that it needs, so it does not run. That never counts as passed. */
export class NotProvided extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'NotProvided';
  }
}
