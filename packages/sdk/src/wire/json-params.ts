import type { JsonObject, JsonValue } from '@permitry/protocol';

/**
 * Types that can be parameters: an object whose members are all JSON, or `undefined` and dropped. Unlike `JsonObject`
 * it accepts interfaces and read-only lists. It refuses a `Date`, a `Map`, a function or an `unknown` at any depth. Use
 * it as a constraint: `P extends JsonParams<P>`.
 *
 * @example
 * interface Refund { order: string; amount: number; note?: string }
 * const refund = permitry.protect('payments.refund', (refund: Refund) => bank.refund(refund));
 */
export type JsonParams<T> =
  | JsonObject
  // Lists are objects too, but cannot be parameters.
  | (object & JsonMembers<T> & { readonly [Symbol.iterator]?: never });

/** The members of `T`, with `never` in place of each type that is not JSON. */
export type JsonMembers<T> = { [M in keyof T]: JsonMember<T[M]> };

/** The JSON part of one member's type. */
export type JsonMember<T> = T extends JsonValue | undefined
  ? T
  : T extends (...given: never) => unknown
    ? never
    : T extends object
      ? JsonMembers<T>
      : never;
