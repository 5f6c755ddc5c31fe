import type { JsonObject } from '@permitry/protocol';
import type { CreateIntent, Intent } from '../wire/intent.ts';

/** How a protected function asks, waits and tells. */
export interface ProtectOptions<P extends object = JsonObject, M extends object = JsonObject> {
  /** What else the intent says (approvers, tiers, metadata, …); a function gets the parameters of the call. */
  intent?: IntentDetails<M> | ((params: P) => IntentDetails<M>) | undefined;
  /** Milliseconds to wait for a decision. Left out: until the intent expires. */
  waitMs?: number | undefined;
  /** Told once when a person has to decide, e.g. to show `intent.approval_url`. It is not waited for. */
  onPending?: ((intent: Intent) => void) | undefined;
  /**
   * What becomes of the intent when nobody waits for it any more, by `waitMs` or an abort: `withdraw` (default) takes it
   * back, so that nobody decides on what nobody will run; `leave` lets it stand.
   */
  onGivingUp?: 'withdraw' | 'leave' | undefined;
  /** Words for the ledger about a failure, at most 2000 characters. Left out: none, for errors may hold secrets. */
  describeFailure?: ((error: unknown) => string) | undefined;
  /** Told when the outcome could not be reported: the action was run all the same, and its result is given. */
  onUnreported?: ((error: unknown) => void) | undefined;
}

/** What an intent may say beside action and parameters. */
export type IntentDetails<M extends object = JsonObject> = Omit<
  CreateIntent<JsonObject, M>,
  'action' | 'params'
>;
