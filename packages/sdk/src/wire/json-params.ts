import type { JsonObject, JsonValue } from '@permitry/protocol';

/**
 * What may be given as parameters: an object of which every member is JSON, or `undefined` and left out. Interfaces and
 * read-only lists pass as well, which `JsonObject` does not take; a `Date`, a `Map`, a function or an `unknown` does not,
 * wherever it stands. It is for constraints: `P extends JsonParams<P>`.
 *
 * @example
 * interface Refund { order: string; amount: number; note?: string }
 * const refund = permitry.protect('payments.refund', (refund: Refund) => bank.refund(refund));
 */
export type JsonParams<T> =
  | JsonObject
  // Lists are objects, too, and no parameters.
  | (object & JsonMembers<T> & { readonly [Symbol.iterator]?: never });

/** The same members, where JSON has them; `never` in the place of all others. */
export type JsonMembers<T> = { [M in keyof T]: JsonMember<T[M]> };

/** What JSON has of one member's type. */
export type JsonMember<T> = T extends JsonValue | undefined
  ? T
  : T extends (...given: never) => unknown
    ? never
    : T extends object
      ? JsonMembers<T>
      : never;
