import type { Exchange } from './range/exchange.ts';

/** The gate did something else than it must. */
export class Undefended extends Error {
  readonly exchange: Exchange | undefined;

  constructor(why: string, exchange?: Exchange) {
    super(why);
    this.name = 'Undefended';
    this.exchange = exchange;
  }
}

/** Something a case takes is not there: it is not run, which is never the same as passed. */
export class NotProvided extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'NotProvided';
  }
}
