/**
 * Listeners that learn about changes of intents after the commit: waiting people and programs, metrics, shadow
 * policies.
 */
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import type { Intent } from './intent.ts';
import type { PolicyAgent } from './policy-request.ts';
import type { Resolutions } from './resolutions.ts';

export interface IntentListeners {
  readonly wakeups: Wakeups;
  readonly resolutions: Resolutions;
  readonly shadows: ShadowObserver;
}

/** Wakes the waiters for an intent when something happened to it. Has no rules and reads no database. */
export interface Wakeups {
  /** Called after the commit that resolved the intent. Also wakes the waiters at other gates. */
  wake(intentId: string): void;
  /**
   * Resolves true when the intent is woken, and false after `timeoutMs` or when `signal` aborts. Listen before you read
   * the intent. Otherwise a wake-up between the two is lost.
   */
  listen(intentId: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}

/** Evaluates a new intent with the project's shadow policy, if the project has one. Must not throw or wait. */
interface ShadowObserver {
  observe(settings: ProjectSettings, intent: Intent, agent: PolicyAgent | null, outcome: PolicyOutcome): void;
}
