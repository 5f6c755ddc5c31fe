import type { JsonObject } from '@permitry/protocol';
import type { CreateIntent, Intent } from '../wire/intent.ts';

/** How a protected function requests, waits and reports. */
export interface ProtectOptions<P extends object = JsonObject, M extends object = JsonObject> {
  /**
   * The other properties of the intent (approvers, tiers, metadata, …). A function receives the parameters of the call.
   */
  intent?: IntentDetails<M> | ((params: P) => IntentDetails<M>) | undefined;
  /** Milliseconds to wait for a decision. Default: until the intent expires. */
  waitMs?: number | undefined;
  /** Called once when a person must decide, e.g. to show `intent.approval_url`. The call does not wait for it. */
  onPending?: ((intent: Intent) => void) | undefined;
  /**
   * What happens to the intent when the call stops waiting, by `waitMs` or an abort. `withdraw` (default) withdraws it,
   * so that nobody decides on something that will not run. `leave` keeps it pending.
   */
  onGivingUp?: 'withdraw' | 'leave' | undefined;
  /**
   * Describes a failure for the audit log, at most 2000 characters. Default: nothing, because errors may hold secrets.
   */
  describeFailure?: ((error: unknown) => string) | undefined;
  /** Called when the outcome could not be reported. The action ran nevertheless, and its result is returned. */
  onUnreported?: ((error: unknown) => void) | undefined;
}

/** The properties of an intent other than action and parameters. */
export type IntentDetails<M extends object = JsonObject> = Omit<
  CreateIntent<JsonObject, M>,
  'action' | 'params'
>;
