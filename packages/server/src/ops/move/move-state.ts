/** The progress of a move into a database, as the database records it. */
import type { InstallationWriter } from '../../gate/installation/installation.ts';
import type { Storage } from '../../gate/kernel/storage.ts';
import type { Reader } from '../../storage/nouns.ts';
import { MoveError } from './move-error.ts';

export interface MoveState {
  /** The same ID as in the directory's mark. */
  id: string;
  /**
   * `copying`: nothing has arrived. `copied`: everything arrived in one transaction, but is not checked yet. `done`:
   * the database is now the gate's place. `undone`: the gate went back to the directory.
   */
  state: 'copying' | 'copied' | 'done' | 'undone';
  from: string;
  at: string;
}

export async function readMoveState(
  read: Pick<Reader, 'findInstallationFact'>,
): Promise<MoveState | undefined> {
  const text = await read.findInstallationFact('move');
  return text === undefined ? undefined : (JSON.parse(text) as MoveState);
}

export function saveMoveState(
  storage: Storage<unknown, InstallationWriter>,
  state: MoveState,
): Promise<void> {
  return storage.transaction((tx) => tx.putInstallationFact('move', JSON.stringify(state)));
}

/** @throws MoveError `moved` for a database that is not, or is no longer, the gate's place */
export async function assertMoveDone(read: Pick<Reader, 'findInstallationFact'>): Promise<void> {
  const move = await readMoveState(read);
  if (!move || move.state === 'done') return;
  throw new MoveError(
    'moved',
    move.state === 'undone'
      ? `The gate of this database went back to ${move.from} at ${move.at}; it is no longer served from here.`
      : `The gate of ${move.from} is being moved into this database since ${move.at}; run the same permitry move again to finish.`,
  );
}
