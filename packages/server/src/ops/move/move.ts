/** Owns the carrying over of a gate from a data directory into a PostgreSQL database, and the way back. */
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
  /** With its password; and as people may read it. */
  database: { url: string; shown: string };
  /** With the key-encryption key that goes with the database. */
  signingKeys: SigningKeySettings;
  /** base_url as last served. */
  issuer: string;
  operator: OperatorCaller;
  onMoved: OnMoved;
  /** Told of every project whose audit log verified in the database. */
  onChecked: (project: string) => void;
}

export interface Moved {
  /** It had been moved before; nothing was done. */
  already: boolean;
  rows: number;
  projects: Portrait['projects'];
}

/**
 * Copies the gate in one transaction, looks whether all of it has arrived, and only then hands over: the directory is
 * marked, so that no server starts on it again, before the database says that it may be served. Cut off at any
 * moment, it is run again and goes on; until then neither place serves.
 *
 * @throws MoveError; Error while a server has the directory
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
  // Of a move that was undone nothing counts; whether it left anything behind is looked at like any database.
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
  // In this order: there is no moment at which both would serve.
  writeMovedMark(directory, { ...mark, state: 'moved', at: new Date().toISOString() });
  await rememberServed(target, new Date().toISOString());
  await saveMoveState(target, state('done'));
  return { already: false, rows, projects: sent.projects };
}

/** Who moves where, written down on this side before anything is done on the other. */
async function beginMove(
  target: OpenStorage,
  known: MoveState | undefined,
  { directory, database }: MoveOptions,
): Promise<MovedMark> {
  const mark = readMovedMark(directory);
  if (known && known.id !== mark?.id) {
    throw new MoveError(
      'occupied',
      `The database holds a gate that was moved there from ${known.from}, or was to be: use another, or empty it.`,
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

/** Looked at again under a lock when the copy begins; here, so that a mistaken address marks nothing. */
async function assertUnused({ read }: OpenStorage): Promise<void> {
  const projects = await read.listProjects();
  const serving = await listServingGates(read, new Date().toISOString());
  if (projects.length > 0)
    throw new MoveError(
      'occupied',
      'The database holds another gate; a gate is moved into a database of its own.',
    );
  if (serving.length > 0) throw new MoveError('occupied', 'A gate serves this database; stop it first.');
}

/** What was done and not yet sealed or recorded is, before it is looked at. */
async function settleAndPortray({ gate, recordKeyChanges }: OpenGate): Promise<Portrait> {
  await recordKeyChanges();
  for (const { id } of await gate.storage.read.listProjects()) await gate.ledger.sealNow(id);
  return portraitOf(gate);
}

/** A directory whose keys lie in clear is left so: whoever goes back there has no key-encryption key. */
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
  /** The database, when it can be reached: it is told that it is the gate's place no more. */
  database: MoveOptions['database'] | null;
  /** For a gate that may have been served from the database: what is then done to the directory. */
  takeOver: (withGate: WithGate) => Promise<void>;
}

/**
 * Back to the directory. Answers whether the database may have been served meanwhile, and the directory was therefore
 * treated as a copy put back.
 *
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
    throw new MoveError('no_gate', `${directory} bears no mark of a move; there is nothing to undo.`);
  if (mark.state === 'moving') {
    // Not under the hands of a move that is at work.
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
  // What was used there is not used here.
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
