import type { KeptCredentials } from './access/kept-credentials.ts';
import type { SignInLimits } from './access/sign-in-limits.ts';
import type { AccountMail } from './accounts/account-mail.ts';
import type { PasswordHasher } from './accounts/password.ts';
import type { SecretBox } from './accounts/secret-box.ts';
import type { Reach } from './notifications/reach.ts';
import type { PermitRecogniser } from './permits/recognise.ts';
import type { ShadowWatch } from './policy/shadow/shadow-watch.ts';
import type { Simulations } from './policy/simulation/simulations.ts';
import type { Clock, Ids, Reader, Signer, Storage } from './ports.ts';
import type { ProjectSettingsCache } from './projects/project-settings.ts';
import type { ProofVerifier } from './proof/proof-session.ts';
import type { ReceiptIndexes } from './receipts/receipt-indexes.ts';
import type { StatusLists } from './receipts/status-lists.ts';

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
  readonly signer: Signer;
  readonly credentials: KeptCredentials;
  readonly passwords: PasswordHasher;
  readonly secretBox: SecretBox;
  readonly signInLimits: SignInLimits;
  readonly accountMail: AccountMail;
  readonly reach: Reach;
  readonly proofVerifier: ProofVerifier;
  readonly projectSettings: ProjectSettingsCache;
  readonly receiptIndexes: ReceiptIndexes;
  readonly statusLists: StatusLists;
  readonly permits: PermitRecogniser;
  readonly simulations: Simulations;
  readonly shadows: ShadowWatch;
  readonly wakeups: Wakeups;
  readonly ledger: {
    /** Called after each commit that wrote events of the project. */
    sealSoon(projectId: string): void;
    /** Resolves when every event committed before the call is sealed. */
    sealNow(projectId: string): Promise<void>;
    /**
     * Calls `listener` whenever events of a project were sealed, for those who read the log as it grows. It must not
     * throw or wait. Answers how to stop.
     */
    onSealed(listener: (projectId: string) => void): () => void;
  };
}

/** Tells those who wait for an intent that something happened to it. Holds no rule and reads no database. */
export interface Wakeups {
  /** Called after the commit that resolved the intent. */
  wake(intentId: string): void;
  /**
   * Resolves true when the intent is woken, false after `timeoutMs` or when `signal` aborts.
   * Listen before reading, so that no wake-up falls between.
   */
  listen(intentId: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
}
