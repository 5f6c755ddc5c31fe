/** Moves a gate from a data directory into a PostgreSQL database, and back. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { OperatorCaller } from '../../gate/access/caller.ts';
import { listServingGates } from '../../gate/heartbeats/serving-gates.ts';
import { KeyFolder } from '../../keys/key-folder.ts';
import type { SigningKeySettings } from '../../keys/key-settings.ts';
import { SecretKeyFile } from '../../keys/secret-key-file.ts';
import { type OpenGate, openGate } from '../../open-gate.ts';
import { type GateDatabase, openStorage } from '../../storage/open-storage.ts';
import { updateSchema } from '../../storage/postgres/schema.ts';
import { databaseFile } from '../../storage/sqlite/open-database.ts';
import { lockForServing } from '../../storage/sqlite/serving-lock.ts';
import type { OpenStorage } from '../../storage/storage.ts';
import { rememberServed } from '../restore-detection/served-database.ts';
import type { OnMoved } from './carry-rows.ts';
import { checkArrived, checkPermits, type Portrait, portraitOf } from './check-arrived.ts';
import { compareCounts, copyGate, listUsablePermits } from './copy-gate.ts';
import { MoveError } from './move-error.ts';
import { type MoveState, readMoveState, saveMoveState } from './move-state.ts';
import { type MovedMark, readMovedMark, removeMovedMark, writeMovedMark } from './moved-mark.ts';

export { MoveError } from './move-error.ts';
export { readMovedMark } from './moved-mark.ts';

export interface MoveOptions {
  directory: string;
  /** `url` contains the password; `shown` is safe to show. */
  database: { url: string; shown: string };
  /** Includes the key-encryption key for the database. */
  signingKeys: SigningKeySettings;
  /** The base_url that the gate served last. */
  issuer: string;
  operator: OperatorCaller;
  onMoved: OnMoved;
  /** Called for each project after its audit log is verified in the database. */
  onChecked: (project: string) => void;
}

export interface Moved {
  /** True: the gate had already been moved, and nothing was done. */
  already: boolean;
  rows: number;
  projects: Portrait['projects'];
}

/**
 * Copies the gate in one transaction and checks that all of it arrived. Only then does it mark the directory, so that
 * no server starts on it again. After that, it marks the database as ready to be served. If the move is interrupted,
 * run it again to continue. Until it is complete, neither place serves.
 * @throws MoveError; Error while a server uses the directory
 */
export async function moveGate(options: MoveOptions): Promise<Moved> {
  const { directory, database } = options;
  if (!existsSync(databaseFile(directory)))
    throw new MoveError('no_gate', `There is no gate in ${directory}.`);
  const lock = lockForServing(directory);
  try {
    await updateSchema(database.url);
    const target = await openStorage({ url: database.url }, { schema: 'check' });
    try {
      return await moveInto(target, options);
    } finally {
      await target.close();
    }
  } finally {
    lock.release();
  }
}

async function moveInto(target: OpenStorage, options: MoveOptions): Promise<Moved> {
  const { directory, database, signingKeys, issuer, operator } = options;
  const recorded = await readMoveState(target.read);
  // An undone move does not count. If it left data behind, the checks for an empty database find that.
  const known = recorded?.state === 'undone' ? undefined : recorded;
  const mark = await beginMove(target, known, options);
  const sent = await withGateOf(
    { directory },
    await settingsOf(directory, signingKeys),
    issuer,
    settleAndPortray,
  );
  if (known?.state === 'done') return { already: true, rows: 0, projects: sent.projects };
  const state = (word: MoveState['state']): MoveState => ({
    id: mark.id,
    state: word,
    from: directory,
    at: new Date().toISOString(),
  });
  if (known?.state !== 'copied') {
    await saveMoveState(target, state('copying'));
    await copyGate({
      directory,
      url: database.url,
      signingKeys,
      baseUrl: issuer,
      state: state('copied'),
      onMoved: options.onMoved,
    });
  }
  const { rows, differing } = await compareCounts(directory, database.url);
  if (differing.length > 0)
    throw new MoveError(
      'damaged',
      `Not all rows arrived: ${differing.join('; ')}. Empty the database and move again.`,
    );
  await withGateOf({ url: database.url }, signingKeys, issuer, async ({ gate }) => {
    await checkArrived(gate, operator, sent, options.onChecked);
    await checkPermits(gate, await listUsablePermits(database.url, gate.clock.now()), sent);
  });
  // Because of this order, the directory and the database never serve at the same time.
  writeMovedMark(directory, { ...mark, state: 'moved', at: new Date().toISOString() });
  await rememberServed(target, new Date().toISOString());
  await saveMoveState(target, state('done'));
  return { already: false, rows, projects: sent.projects };
}

/** Records the source and target in the directory before anything changes in the database. */
async function beginMove(
  target: OpenStorage,
  known: MoveState | undefined,
  { directory, database }: MoveOptions,
): Promise<MovedMark> {
  const mark = readMovedMark(directory);
  if (known && known.id !== mark?.id) {
    throw new MoveError(
      'occupied',
      `The database contains a gate that was moved there from ${known.from}, completely or in part. Use another database, or empty this one.`,
    );
  }
  if (mark && mark.to !== database.shown) {
    throw new MoveError(
      'moved',
      `The gate of ${directory} ${mark.state === 'moved' ? 'was' : 'is being'} moved to ${mark.to}.`,
    );
  }
  if (mark?.state === 'moved' && !known) {
    throw new MoveError(
      'moved',
      `The gate of ${directory} was moved to ${mark.to}, and that database is empty now.`,
    );
  }
  if (mark && known) return mark;
  await assertUnused(target);
  const made: MovedMark = mark ?? {
    id: randomUUID(),
    state: 'moving',
    to: database.shown,
    at: new Date().toISOString(),
  };
  writeMovedMark(directory, made);
  return made;
}

/** Keeps a mistaken address from marking anything. The copy checks this again under a lock. */
async function assertUnused({ read }: OpenStorage): Promise<void> {
  const projects = await read.listProjects();
  const serving = await listServingGates(read, new Date().toISOString());
  if (projects.length > 0)
    throw new MoveError(
      'occupied',
      'The database contains another gate. A gate can only be moved into an empty database.',
    );
  if (serving.length > 0) throw new MoveError('occupied', 'A gate serves this database; stop it first.');
}

/** Seals and records everything that is still outstanding, so that the comparison includes it. */
async function settleAndPortray({ gate, recordKeyChanges }: OpenGate): Promise<Portrait> {
  await recordKeyChanges();
  for (const { id } of await gate.storage.read.listProjects()) await gate.ledger.sealNow(id);
  return portraitOf(gate);
}

/** Unencrypted keys in the directory stay unencrypted: after an undo, the gate there may have no key-encryption key. */
async function settingsOf(directory: string, settings: SigningKeySettings): Promise<SigningKeySettings> {
  const { keys } = await new KeyFolder(directory).read();
  const secret = await new SecretKeyFile(directory).read();
  const isEncrypted =
    keys.some(({ encrypted }) => encrypted !== undefined) || (secret?.includes('"jwe"') ?? false);
  return isEncrypted ? settings : { ...settings, keyEncryptionKey: null, previousKeyEncryptionKey: null };
}

async function withGateOf<T>(
  database: GateDatabase,
  signingKeys: SigningKeySettings,
  issuer: string,
  work: (opened: OpenGate) => Promise<T>,
): Promise<T> {
  const failures: unknown[] = [];
  const opened = await openGate({
    database,
    issuer,
    signingKeys,
    moving: true,
    onError: (error) => failures.push(error),
  });
  try {
    const done = await work(opened);
    if (failures.length > 0) throw failures[0];
    return done;
  } finally {
    await opened.close();
  }
}

type WithGate = <T>(work: (gate: OpenGate['gate']) => Promise<T>) => Promise<T>;

export interface UndoOptions extends Pick<MoveOptions, 'directory' | 'signingKeys' | 'issuer'> {
  /** If the database can be reached, it records that it is no longer the gate's place. Null: it cannot be reached. */
  database: MoveOptions['database'] | null;
  /** Called if the database may have served the gate. It must treat the directory like a restored copy. */
  takeOver: (withGate: WithGate) => Promise<void>;
}

/**
 * Moves back to the directory. Returns whether the database may have served since the move. If so, the directory was
 * treated like a restored copy.
 * @throws MoveError `no_gate` without a mark, `occupied` while a gate serves the database
 */
export async function undoMove({
  directory,
  database,
  signingKeys,
  issuer,
  takeOver,
}: UndoOptions): Promise<{ tookOver: boolean }> {
  const mark = readMovedMark(directory);
  if (!mark)
    throw new MoveError('no_gate', `${directory} has no record of a move; there is nothing to undo.`);
  if (mark.state === 'moving') {
    // The lock keeps an undo from running beside a move.
    const lock = lockForServing(directory);
    try {
      if (database) await retire(database, mark);
      removeMovedMark(directory);
    } finally {
      lock.release();
    }
    return { tookOver: false };
  }
  if (database) await retire(database, mark);
  // The directory does not know what was used while the database served.
  const settings = await settingsOf(directory, signingKeys);
  await takeOver((work) => withGateOf({ directory }, settings, issuer, ({ gate }) => work(gate)));
  removeMovedMark(directory);
  return { tookOver: true };
}

async function retire({ url, shown }: MoveOptions['database'], mark: MovedMark): Promise<void> {
  if (mark.to !== shown) throw new MoveError('moved', `The gate was moved to ${mark.to}, not to ${shown}.`);
  const target = await openStorage({ url }, { schema: 'check' });
  try {
    const known = await readMoveState(target.read);
    if (!known || known.id !== mark.id) return;
    const serving = await listServingGates(target.read, new Date().toISOString());
    if (serving.length > 0)
      throw new MoveError('occupied', `A gate serves ${shown}; stop all of them first.`);
    await saveMoveState(target, { ...known, state: 'undone', at: new Date().toISOString() });
  } finally {
    await target.close();
  }
}
