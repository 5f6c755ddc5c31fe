import type { AccountMail } from '../../people/account-mail.ts';
import type { PasswordHasher } from '../../people/passwords/password.ts';
import type { SignInLimits } from '../../people/sign-in-tries/sign-in-limits.ts';
import type { KeptCredentials } from '../access/kept-credentials.ts';
import type { EventLog } from '../audit/event-log.ts';
import type { IntentListeners } from '../intents/listeners.ts';
import type { Leases } from '../leases/leases.ts';
import type { BudgetBook } from '../limits/budget-book.ts';
import type { HeldAnswers } from '../limits/held-answers.ts';
import type { Reach } from '../notifications/reach.ts';
import type { Simulations } from '../policy-management/simulation/simulations.ts';
import type { ProjectSettingsCache } from '../project-settings/project-settings.ts';
import type { ProofMethod, ProofVerifier } from '../proof/proof-session.ts';
import type { StatusLists } from '../receipts/status-lists.ts';
import type { Losses } from '../restore/lost-commits.ts';
import type { Tokens } from '../tokens/tokens.ts';
import type { Tools } from '../tools/tools.ts';
import type { UpstreamDoor } from '../upstreams/look.ts';
import type { Bus } from './bus.ts';
import type { Clock, Ids, Storage } from './ports.ts';
import type { SecretBox } from './secret-box.ts';

/** What every operation is handed: the doors out, and what was read through them. */
export interface Gate {
  /** base_url: `iss` of tokens and the stem of approval URLs; no trailing slash. */
  readonly issuer: string;
  /** After how many days texts are erased where a project says nothing of its own; 0: never. */
  readonly retentionDays: number;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  /** To servers of others whose tools stand behind the gateway. */
  readonly upstreamDoor: UpstreamDoor;
  readonly tokens: Tokens;
  readonly credentials: KeptCredentials;
  readonly passwords: PasswordHasher;
  readonly secretBox: SecretBox;
  readonly signInLimits: SignInLimits;
  readonly accountMail: AccountMail;
  readonly reach: Reach;
  readonly proofVerifiers: Readonly<Record<ProofMethod, ProofVerifier>>;
  readonly projectSettings: ProjectSettingsCache;
  readonly statusLists: StatusLists;
  readonly simulations: Simulations;
  readonly tools: Tools;
  /** The other gates on this database. */
  readonly bus: Bus;
  readonly leases: Leases;
  /** Where gates on this database count requests together; null: this one is alone. */
  readonly budgets: BudgetBook | null;
  readonly listeners: IntentListeners;
  /** Reads with `?wait=` that wait at this gate. */
  readonly heldReads: HeldAnswers;
  readonly losses: Losses;
  readonly ledger: EventLog;
}
