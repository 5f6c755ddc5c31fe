import type { AccountMail } from '../../people/account-mail.ts';
import type { PasswordHasher } from '../../people/passwords/password.ts';
import type { SignInLimits } from '../../people/sign-in-tries/sign-in-limits.ts';
import type { KeptCredentials } from '../access/kept-credentials.ts';
import type { EventCounts } from '../audit/event-counts.ts';
import type { Resolutions } from '../intents/resolutions.ts';
import type { Leases } from '../leases/leases.ts';
import type { BudgetBook } from '../limits/budget-book.ts';
import type { HeldAnswers } from '../limits/held-answers.ts';
import type { Reach } from '../notifications/reach.ts';
import type { ShadowWatch } from '../policy-management/shadow/shadow-watch.ts';
import type { Simulations } from '../policy-management/simulation/simulations.ts';
import type { ProjectSettingsCache } from '../project-settings/project-settings.ts';
import type { ProofMethod, ProofVerifier } from '../proof/proof-session.ts';
import type { StatusLists } from '../receipts/status-lists.ts';
import type { Losses } from '../restore/lost-commits.ts';
import type { ReceiptIndexes } from '../tokens/receipt-indexes.ts';
import type { PermitRecogniser } from '../tokens/recognise.ts';
import type { ArgumentChecker } from '../tools/argument-checker.ts';
import type { Connectors } from '../tools/connectors.ts';
import type { ToolRuns } from '../tools/tool-runs.ts';
import type { UpstreamDoor } from '../upstreams/look.ts';
import type { Bus } from './bus.ts';
import type { Clock, Ids, Reader, Signer, Storage } from './ports.ts';
import type { SecretBox } from './secret-box.ts';

/** What every operation is handed: the doors out, and what was read through them. */
export interface Gate {
  /** base_url: `iss` of tokens and the stem of approval URLs; no trailing slash. */
  readonly issuer: string;
  /** After how many days texts are erased where a project says nothing of its own; 0: never. */
  readonly retentionDays: number;
  readonly storage: Storage;
  /** Committed data, also for an operation whose `storage` keeps a transaction open until it has answered. */
  readonly committed: Reader;
  readonly clock: Clock;
  readonly ids: Ids;
  /** To servers of others whose tools stand behind the gateway. */
  readonly upstreamDoor: UpstreamDoor;
  readonly signer: Signer;
  readonly credentials: KeptCredentials;
  readonly passwords: PasswordHasher;
  readonly secretBox: SecretBox;
  readonly signInLimits: SignInLimits;
  readonly accountMail: AccountMail;
  readonly reach: Reach;
  readonly proofVerifiers: Readonly<Record<ProofMethod, ProofVerifier>>;
  readonly projectSettings: ProjectSettingsCache;
  readonly receiptIndexes: ReceiptIndexes;
  readonly statusLists: StatusLists;
  readonly permits: PermitRecogniser;
  readonly simulations: Simulations;
  /** The tools behind the gateway. */
  readonly connectors: Connectors;
  readonly argumentChecker: ArgumentChecker;
  readonly toolRuns: ToolRuns;
  readonly shadows: ShadowWatch;
  /** The other gates on this database. */
  readonly bus: Bus;
  readonly leases: Leases;
  /** Where gates on this database count requests together; null: this one is alone. */
  readonly budgets: BudgetBook | null;
  readonly wakeups: Wakeups;
  /** Answers that wait at this gate: reads with `?wait=`, and calls of tools. */
  readonly held: { readonly reads: HeldAnswers; readonly calls: HeldAnswers };
  readonly resolutions: Resolutions;
  readonly losses: Losses;
  readonly eventCounts: EventCounts;
  readonly ledger: {
    /** Called after each commit that wrote events of the project. */
    sealSoon(projectId: string): void;
    /** Resolves when every event that any gate committed before the call is sealed. */
    sealNow(projectId: string): Promise<void>;
    /**
     * Calls `listener` whenever events of a project were sealed by any gate, for those who read the log as it grows;
     * now and then once too often. It must not throw or wait. Answers how to stop.
     */
    onSealed(listener: (projectId: string) => void): () => void;
  };
}

/** Tells those who wait for an intent that something happened to it. Holds no rule and reads no database. */
export interface Wakeups {
  /** Called after the commit that resolved the intent; whoever waits at another gate is woken as well. */
  wake(intentId: string): void;
  /**
   * Resolves true when the intent is woken; false after `timeoutMs` or when `signal` aborts.
   * Listen before reading, so that no wake-up falls between.
   */
  listen(intentId: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}
