/** Assembles a gate on its database. The server serves it, the command line administers it, and tests use it. */

import { randomUUID } from 'node:crypto';
import { constants, deflateSync } from 'node:zlib';
import { KeptCredentials } from './gate/access/kept-credentials.ts';
import { EventCounts } from './gate/audit/event-counts.ts';
import type { EventLog } from './gate/audit/event-log.ts';
import { Sealer } from './gate/audit/sealer.ts';
import { Heartbeats } from './gate/heartbeats/heartbeats.ts';
import type { IntentListeners } from './gate/intents/listeners.ts';
import { Resolutions } from './gate/intents/resolutions.ts';
import type { Bus } from './gate/kernel/bus.ts';
import { type Clock, millisecondsOf } from './gate/kernel/clock.ts';
import type { Ids } from './gate/kernel/ids.ts';
import { NO_REACH, type Reach } from './gate/kernel/reach.ts';
import type { SecretEncryption } from './gate/kernel/secret-encryption.ts';
import type { Signer } from './gate/kernel/signer.ts';
import type { Storage } from './gate/kernel/storage.ts';
import { Leases } from './gate/leases/leases.ts';
import type { BudgetBook } from './gate/limits/budget-book.ts';
import {
  WAITING_CALLS,
  WAITING_READS,
  type WaitingLimits,
  WaitingRequests,
} from './gate/limits/waiting-requests.ts';
import { ShadowWatch } from './gate/policy-management/shadow/shadow-watch.ts';
import { Simulations } from './gate/policy-management/simulation/simulations.ts';
import { ProjectSettingsCache } from './gate/project-settings/project-settings.ts';
import type { ProofMethod, ProofVerifier } from './gate/proof/proof-session.ts';
import { StatusLists } from './gate/receipts/status-lists.ts';
import { type Losses, NO_LOSSES } from './gate/restore/lost-commits.ts';
import { recordSigningKeyChanges } from './gate/signing-keys/record-changes.ts';
import { ReceiptIndexes } from './gate/tokens/receipt-indexes.ts';
import { PermitRecogniser } from './gate/tokens/recognise.ts';
import type { Tokens } from './gate/tokens/tokens.ts';
import type { Connectors } from './gate/tools/connectors.ts';
import { ToolRuns } from './gate/tools/tool-runs.ts';
import type { Tools } from './gate/tools/tools.ts';
import type { UpstreamClient } from './gate/upstreams/upstream-client.ts';
import { NO_UPSTREAM_CLIENT } from './gate/upstreams/upstream-client.ts';
import { createArgumentChecker } from './gateway/arguments/argument-checker.ts';
import { openConnectors } from './gateway/open-connectors.ts';
import type { UpstreamServers } from './gateway/upstream/upstream-servers.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from './keys/key-settings.ts';
import { keyStoresIn } from './keys/key-stores.ts';
import { openSecretEncryption } from './keys/secret-encryption.ts';
import { openSigningKeys, type SigningKeys } from './keys/signing-keys.ts';
import { assertMoveDone } from './ops/move/move-state.ts';
import { assertNotMoved } from './ops/move/moved-mark.ts';
import { assertNothingLost, LossWatch } from './ops/restore-detection/loss-watch.ts';
import { assertServedLast } from './ops/restore-detection/served-database.ts';
import { type AccountMail, NO_ACCOUNT_MAIL } from './people/account-mail.ts';
import { deviceVerifier } from './people/device-keys/device-verifier.ts';
import { passkeyVerifier } from './people/passkeys/passkey-verifier.ts';
import { Argon2Hasher } from './people/passwords/argon2-hasher.ts';
import type { PasswordHasher } from './people/passwords/password.ts';
import type { PeopleDeps } from './people/people-deps.ts';
import { recordBlockedSignIn } from './people/sign-in/blocked-sign-in.ts';
import { SignInLimits } from './people/sign-in-tries/sign-in-limits.ts';
import { createSteadyClock, systemClock } from './runtime/clock.ts';
import { createIds } from './runtime/ids.ts';
import { VERSION } from './runtime/version.ts';
import { WorkerRunner } from './simulation/worker-runner.ts';
import type { Reader, Transaction } from './storage/nouns.ts';
import { type GateDatabase, openStorage } from './storage/open-storage.ts';
import type { OpenStorage } from './storage/storage.ts';
import { pollForResolved } from './streams/poll-for-resolved.ts';
import { WaitingRoom } from './streams/wakeups.ts';

/** The parts of an open gate. Surfaces pass them to operations, and each operation declares those that it needs. */
export interface GateParts {
  /** base_url: the `iss` of tokens and the beginning of approval URLs. No trailing slash. */
  readonly issuer: string;
  /** After how many days texts are erased, for projects without a setting of their own. 0: never. */
  readonly retentionDays: number;
  readonly storage: Storage<Reader, Transaction>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Talks to upstream MCP servers, whose tools the gateway offers. */
  readonly upstreamClient: UpstreamClient;
  readonly tokens: Tokens;
  readonly credentials: KeptCredentials;
  readonly passwords: PasswordHasher;
  readonly secretEncryption: SecretEncryption;
  readonly signInLimits: SignInLimits;
  readonly accountMail: AccountMail;
  readonly reach: Reach;
  readonly proofVerifiers: Readonly<Record<ProofMethod, ProofVerifier<PeopleDeps<'issuer'>, Transaction>>>;
  readonly projectSettings: ProjectSettingsCache;
  readonly statusLists: StatusLists;
  readonly simulations: Simulations;
  readonly tools: Tools;
  /** Connects this gate to the other gates on this database. */
  readonly bus: Bus;
  readonly leases: Leases;
  /** Where gates on this database count requests together. Null: this gate is alone. */
  readonly budgets: BudgetBook | null;
  readonly listeners: IntentListeners;
  /** Counts the reads with `?wait=` that wait at this gate. */
  readonly waitingReads: WaitingRequests;
  readonly losses: Losses;
  readonly ledger: EventLog;
}

/** A gate without a server, and the parts that need maintenance. */
export interface OpenGate {
  gate: GateParts;
  storage: OpenStorage;
  eventCounts: EventCounts;
  shadows: ShadowWatch;
  sealer: Sealer;
  wakeups: WaitingRoom;
  signer: SigningKeys;
  heartbeats: Heartbeats;
  /** Writes changes of the signing keys that no audit log contains yet. */
  recordKeyChanges(): Promise<void>;
  /** Releases waiters, seals the remaining events and closes the database. */
  close(): Promise<void>;
}

export interface OpenGateOptions {
  /** A directory, created with mode 0700 if missing; or a PostgreSQL database. Keys are stored there as well. */
  database: GateDatabase;
  /**
   * base_url: the `iss` of tokens and the beginning of approval URLs. `otherwise`: the base_url that a PostgreSQL
   * database stored when it was last served, or this value if it stored none.
   */
  issuer: string | { otherwise: string };
  /** Whether to update the schema of a PostgreSQL database (default), or to require that it is current. */
  schema?: 'update' | 'check';
  /** Called with a sentence about each slow step of the update. */
  onMigrating?: (sentence: string) => void;
  /** Whether a move opens the gate. Neither source nor target of a move may be served. */
  moving?: boolean;
  clock?: Clock;
  /** How to store private keys. Default: in clear, in files of mode 0600. PostgreSQL requires a key-encryption key. */
  signingKeys?: SigningKeySettings;
  /** How many days to keep texts, for projects without a setting of their own. 0, the default: forever. */
  retentionDays?: number;
  /** Sends mail about accounts. Default: no mail, and people hand links over. */
  accountMail?: AccountMail;
  /** What the gate can reach outside. Default: nothing. */
  reach?: Reach;
  /**
   * Whether the gate is opened to serve. It then announces itself to the other gates on the database. Opening fails if
   * one of them has another base_url, or if the database was restored without being declared so.
   */
  serving?: boolean;
  /**
   * File in which a gate on PostgreSQL records until when it served. Default: none, so a restored database is not
   * noticed.
   */
  servedUntilFile?: string;
  /** The tools of the gateway. Default: the mock connectors. */
  connectors?: Connectors;
  /** Talks to upstream MCP servers, whose tools the gateway offers as well. Default: none. The gate closes it. */
  upstreams?: UpstreamServers;
  /** How many answers may wait at the same time. Default: as many as the gate's memory allows. */
  waiting?: { reads?: WaitingLimits; calls?: WaitingLimits };
  /** Milliseconds from the first unsealed event to its seal. */
  sealDelayMs?: number;
  onError?: (error: unknown, what: string) => void;
  /** Wraps storage and signer to trace queries and signatures of requests. Default: no tracing. */
  traced?: { storage(storage: OpenStorage): OpenStorage; signer(signer: Signer): Signer };
}

/**
 * @throws Error for an unusable directory, a newer database, or key files that others can read. If `serving`, also for
 * a database that another gate serves under another base_url, or that is not the one served last.
 * @example
 * const database = { directory: './permitry-data' };
 * const { gate, close } = await openGate({ database, issuer: 'http://localhost:8787' });
 */
export async function openGate(options: OpenGateOptions): Promise<OpenGate> {
  const { database: location, sealDelayMs, onError = () => {} } = options;
  if ('directory' in location && !options.moving) assertNotMoved(location.directory);
  const opened = await openStorage(location, options);
  const database = options.traced?.storage(opened) ?? opened;
  const clock = options.clock ?? (await openClock(opened));
  const bus = database.openBus((error) => onError(error, 'other gates cannot be heard just now'));
  const on = { ...options, clock };
  const { signer, secretEncryption, issuer } = await openOnStorage(database, bus, on).catch(async (error) => {
    await bus.close();
    await database.close();
    throw error;
  });
  const holder = randomUUID();
  const watch =
    options.serving && bus.shared
      ? new LossWatch(
          { storage: database, clock },
          {
            run: holder,
            file: options.servedUntilFile ?? null,
            onError: (error) => onError(error, 'the database is watched for lost commits'),
          },
        )
      : undefined;
  const losses = watch ?? NO_LOSSES;
  const storage = watch ? closedByLosses(database, watch) : database;
  const beingRecorded = new Set<Promise<void>>();
  const wakeups = new WaitingRoom(bus);
  const sealer = new Sealer(
    { storage, clock, tokens: { issuer, signer } },
    {
      bus,
      onError: (error, projectId) =>
        onError(error, `the ledger of ${projectId ?? 'a project'} could not be sealed`),
      ...(sealDelayMs === undefined ? {} : { delayMs: sealDelayMs }),
    },
  );
  const tokens: Tokens = {
    issuer,
    signer: options.traced?.signer(signer) ?? signer,
    receiptIndexes: new ReceiptIndexes(storage),
    recogniser: new PermitRecogniser(signer),
  };
  const shadows = new ShadowWatch(storage, { onError });
  const eventCounts = new EventCounts();
  const gate: GateParts = {
    issuer,
    retentionDays: options.retentionDays ?? 0,
    storage,
    clock,
    ids: createIds(millisecondsOf(clock)),
    tokens,
    credentials: new KeptCredentials(storage.read),
    passwords: new Argon2Hasher(),
    proofVerifiers: { passkey: passkeyVerifier, device: deviceVerifier },
    secretEncryption,
    signInLimits: new SignInLimits(
      { storage, clock },
      {
        onBlocked: (account) => {
          const recorded = recordBlockedSignIn(gate, account)
            .catch((error) => onError(error, 'a blocked sign-in could not be recorded'))
            .finally(() => beingRecorded.delete(recorded));
          beingRecorded.add(recorded);
        },
        onError: (error) => onError(error, 'the result of a sign-in could not be counted'),
      },
    ),
    accountMail: options.accountMail ?? NO_ACCOUNT_MAIL,
    reach: options.reach ?? NO_REACH,
    projectSettings: new ProjectSettingsCache(storage.read, async () => {
      await losses.poll();
      await signer.refresh();
    }),
    statusLists: new StatusLists({
      issuer,
      read: storage.read,
      clock,
      signer,
      losses,
      pack: (bytes) => deflateSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
    }),
    upstreamClient: options.upstreams ?? NO_UPSTREAM_CLIENT,
    tools: {
      connectors:
        options.connectors ?? openConnectors(options.upstreams ? { upstream: options.upstreams } : {}),
      argumentChecker: createArgumentChecker(),
      runs: new ToolRuns(
        { storage, clock },
        { holder, onError: (error) => onError(error, 'the result of a tool could not be stored') },
      ),
      waitingCalls: new WaitingRequests('calls of tools', options.waiting?.calls ?? WAITING_CALLS),
    },
    simulations: new Simulations(new WorkerRunner(location)),
    budgets: storage.budgets,
    leases: new Leases(
      { storage, clock },
      { holder, onError: (error) => onError(error, 'a lease could not be kept or let go') },
    ),
    bus,
    listeners: { wakeups, resolutions: new Resolutions(), shadows },
    waitingReads: new WaitingRequests('reads', options.waiting?.reads ?? WAITING_READS),
    losses,
    ledger: {
      recorded(eventId, event) {
        losses.acknowledged(event.projectId, eventId);
        eventCounts.add(event);
        sealer.sealSoon(event.projectId);
      },
      sealNow: (projectId) => sealer.sealNow(projectId),
      onSealed: (listener) => sealer.onSealed(listener),
    },
  };
  options.upstreams?.attach(gate);
  // Discards data cached by revision, because it belongs to a history that may have lost its latest commits.
  opened.onPromotion(() => {
    watch?.promoted();
    gate.projectSettings.forget();
    gate.credentials.forget();
    signer.reload().catch((error) => onError(error, 'the signing keys could not be read again'));
  });
  // Uses the storage directly: a gate that closed itself after a loss is still alive, and nobody may declare a restore
  // while it runs.
  const heartbeats = new Heartbeats(
    { issuer, clock, bus, storage: database },
    {
      gateId: holder,
      version: VERSION,
      onError: (error) => onError(error, 'the heartbeat of this gate could not be written, or is at odds'),
    },
  );
  const stopPolling = pollForResolved(gate, wakeups, (error) =>
    onError(error, 'what other gates resolved could not be read'),
  );
  const recordKeyChanges = () => signer.recordChanges((changes) => recordSigningKeyChanges(gate, changes));
  async function close(): Promise<void> {
    wakeups.close();
    await stopPolling();
    await gate.simulations.close();
    await gate.tools.runs.close();
    await options.upstreams?.close();
    await gate.leases.close();
    await shadows.close();
    await Promise.all(beingRecorded);
    await sealer.close();
    await heartbeats.stop();
    await watch?.stop();
    await bus.close();
    await signer.close();
    await storage.close();
  }
  try {
    // The first heartbeat comes before anything is signed under this gate's base_url.
    if (options.serving) {
      await heartbeats.start();
      await watch?.start();
    }
  } catch (error) {
    await close();
    throw error;
  }
  await sealer.start();
  await recordKeyChanges().catch((error) => onError(error, 'changes of signing keys could not be recorded'));
  return {
    gate,
    storage,
    eventCounts,
    shadows,
    sealer,
    wakeups,
    signer,
    heartbeats,
    recordKeyChanges,
    close,
  };
}

/** The maximum drift between two machines' clocks, if anything at all keeps them in step. */
const MOST_DRIFT = 0.001;

/** Gates that share a database use the database's clock, however wrong their own machine's clock is. */
async function openClock(storage: OpenStorage): Promise<Clock> {
  try {
    const wall = await storage.openTime();
    if (!wall) return systemClock;
    // Runs a little slow: otherwise a machine faster than the database would stay ahead of the database forever.
    return createSteadyClock({ wall, monotonic: () => performance.now() * (1 - MOST_DRIFT) });
  } catch (error) {
    await storage.close();
    throw error;
  }
}

/** Wraps the database so that an answer or a commit counts only if no loss is known before and after it. */
function closedByLosses(database: OpenStorage, losses: Losses): OpenStorage {
  return {
    ...database,
    async transaction(work, how) {
      await losses.assertNone();
      const result = await database.transaction(work, how);
      await losses.assertNone();
      return result;
    },
  };
}

async function openOnStorage(
  storage: OpenStorage,
  bus: Bus,
  {
    database,
    issuer,
    clock,
    signingKeys,
    moving,
    serving,
    servedUntilFile,
    onError = () => {},
  }: OpenGateOptions & { clock: Clock },
): Promise<{ signer: SigningKeys; secretEncryption: SecretEncryption; issuer: string }> {
  if (!moving) await assertMoveDone(storage.read);
  // These checks come before anything is written or cached.
  if (serving) await assertServedLast(storage);
  if (serving) await assertNothingLost(storage, { file: servedUntilFile, now: clock.now() });
  const settings = signingKeys ?? KEYS_IN_CLEAR_FILES;
  const stores = keyStoresIn('directory' in database ? database : { storage, bus }, settings);
  const signer = await openSigningKeys({ store: stores.signingKeys, clock, settings });
  try {
    return {
      signer,
      secretEncryption: await openSecretEncryption(stores.secretKey, settings, onError),
      issuer:
        typeof issuer === 'string'
          ? issuer
          : ((await storage.read.findInstallationFact('base_url')) ?? issuer.otherwise),
    };
  } catch (error) {
    await signer.close();
    throw error;
  }
}
