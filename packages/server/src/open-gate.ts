/** Puts a gate together on a data directory: what the server serves, the command line administers and tests try. */
import { constants, deflateSync } from 'node:zlib';
import { systemClock } from './clock.ts';
import { WaitingRoom } from './delivery/wakeups.ts';
import { KeptCredentials } from './gate/access/kept-credentials.ts';
import { SignInLimits } from './gate/access/sign-in-limits.ts';
import { type AccountMail, NO_ACCOUNT_MAIL } from './gate/accounts/account-mail.ts';
import { Ledger } from './gate/audit/ledger.ts';
import type { Gate } from './gate/gate.ts';
import { NO_REACH, type Reach } from './gate/notifications/reach.ts';
import { PermitRecogniser } from './gate/permits/recognise.ts';
import { ShadowWatch } from './gate/policy/shadow/shadow-watch.ts';
import { Simulations } from './gate/policy/simulation/simulations.ts';
import type { Clock } from './gate/ports.ts';
import { ProjectSettingsCache } from './gate/projects/project-settings.ts';
import { ReceiptIndexes } from './gate/receipts/receipt-indexes.ts';
import { StatusLists } from './gate/receipts/status-lists.ts';
import { recordSigningKeyChanges } from './gate/signing-keys/record-changes.ts';
import { passkeyVerifier } from './identity/passkeys/passkey-verifier.ts';
import { Argon2Hasher } from './identity/passwords/argon2-hasher.ts';
import { recordBlockedSignIn } from './identity/sign-in/blocked-sign-in.ts';
import { createIds } from './ids.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from './signing/key-settings.ts';
import { openSecretBox } from './signing/secret-box.ts';
import { openSigningKeys, type SigningKeys } from './signing/signing-keys.ts';
import { WorkerRunner } from './simulation/worker-runner.ts';
import { openSqliteStorage } from './storage/sqlite/open-sqlite-storage.ts';
import type { OpenStorage } from './storage/storage.ts';

/** A gate without a door, and the parts that have to be looked after. */
export interface OpenGate {
  gate: Gate;
  storage: OpenStorage;
  ledger: Ledger;
  wakeups: WaitingRoom;
  signer: SigningKeys;
  /** Writes changes of the signing keys that stand in no audit log yet. */
  recordKeyChanges(): Promise<void>;
  /** Lets waiters go, seals what is left and closes the database. */
  close(): Promise<void>;
}

export interface OpenGateOptions {
  /** Holds database and keys; made with mode 0700 if there is none. */
  dataDir: string;
  /** base_url: `iss` of tokens and the stem of approval URLs. */
  issuer: string;
  clock?: Clock;
  /** How private keys are kept; left out: in clear, in files of mode 0600. */
  signingKeys?: SigningKeySettings;
  /** For how many days texts are kept where a project says nothing of its own; 0, when left out: for ever. */
  retentionDays?: number;
  /** Sends mail about accounts; left out: nobody does, and links are handed over. */
  accountMail?: AccountMail;
  /** What can be reached outside; left out: nothing. */
  reach?: Reach;
  /** From the first unsealed event to its seal. */
  sealDelayMs?: number;
  onError?: (error: unknown, what: string) => void;
}

/**
 * @throws Error for a directory that cannot be used, a newer database, or key files readable by others
 * @example const { gate, close } = await openGate({ dataDir: './permitry-data', issuer: 'http://localhost:8787' });
 */
export async function openGate(options: OpenGateOptions): Promise<OpenGate> {
  const { dataDir, issuer, clock = systemClock, signingKeys, sealDelayMs, onError = () => {} } = options;
  const storage = await openSqliteStorage({ directory: dataDir });
  const signer = await openSigningKeys({
    dataDir,
    clock,
    ...(signingKeys ? { settings: signingKeys } : {}),
  }).catch(async (error) => {
    await storage.close();
    throw error;
  });
  const secretBox = await openSecretBox(dataDir, signingKeys ?? KEYS_IN_CLEAR_FILES, onError).catch(
    async (error) => {
      await signer.close();
      await storage.close();
      throw error;
    },
  );
  const wakeups = new WaitingRoom();
  const ledger = new Ledger(
    { issuer, storage, clock, signer },
    {
      onError: (error, projectId) =>
        onError(error, `the ledger of ${projectId ?? 'a project'} could not be sealed`),
      ...(sealDelayMs === undefined ? {} : { delayMs: sealDelayMs }),
    },
  );
  const gate: Gate = {
    issuer,
    retentionDays: options.retentionDays ?? 0,
    storage,
    committed: storage.read,
    clock,
    ids: createIds(() => Date.parse(clock.now())),
    signer,
    credentials: new KeptCredentials(storage.read),
    passwords: new Argon2Hasher(),
    proofVerifier: passkeyVerifier,
    secretBox,
    signInLimits: new SignInLimits(
      () => Date.parse(clock.now()),
      (account) => {
        recordBlockedSignIn(gate, account).catch((error) =>
          onError(error, 'a blocked sign-in could not be recorded'),
        );
      },
    ),
    accountMail: options.accountMail ?? NO_ACCOUNT_MAIL,
    reach: options.reach ?? NO_REACH,
    projectSettings: new ProjectSettingsCache(storage.read),
    receiptIndexes: new ReceiptIndexes(storage),
    statusLists: new StatusLists({
      issuer,
      read: storage.read,
      clock,
      signer,
      pack: (bytes) => deflateSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
    }),
    permits: new PermitRecogniser(signer),
    simulations: new Simulations(new WorkerRunner(dataDir)),
    shadows: new ShadowWatch(storage, { onError }),
    wakeups,
    ledger,
  };
  const recordKeyChanges = () => signer.recordChanges((changes) => recordSigningKeyChanges(gate, changes));
  await ledger.start();
  await recordKeyChanges().catch((error) => onError(error, 'changes of signing keys could not be recorded'));
  return {
    gate,
    storage,
    ledger,
    wakeups,
    signer,
    recordKeyChanges,
    async close() {
      wakeups.close();
      await gate.simulations.close();
      await gate.shadows.close();
      await ledger.close();
      await signer.close();
      await storage.close();
    },
  };
}
