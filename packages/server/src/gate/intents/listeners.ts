/** Who is told what becomes of intents, after the commit: people and programs that wait, metrics, shadow policies. */
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

/** Tells those who wait for an intent that something happened to it. Holds no rule and reads no database. */
export interface Wakeups {
  /** Called after the commit that resolved the intent. It wakes the waiters at other gates as well. */
  wake(intentId: string): void;
  /**
   * Resolves true when the intent is woken; false after `timeoutMs` or when `signal` aborts.
   * Listen before reading, so that no wake-up falls between.
   */
  listen(intentId: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}

/** Asks a shadow policy, where the project has one, what it would have said of a new intent. Must not throw or wait. */
interface ShadowObserver {
  observe(settings: ProjectSettings, intent: Intent, agent: PolicyAgent | null, outcome: PolicyOutcome): void;
}
