/**
 * A data directory under the shim: every process that works in it writes a journal of everything that reaches its disk.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ControlFile } from '../shim/control-file.ts';
import { shimEnvironment } from '../shim/shim.ts';
import { type JournalRecord, Marker, readJournal } from './journal.ts';

export interface Recorder {
  dataDir: string;
  /** The environment of each process to record. */
  env: NodeJS.ProcessEnv;
  control: ControlFile;
  /** Records that the event with this number has happened now. */
  mark(number: number): void;
  /** Returns the whole journal. Nothing may be recorded after this call. */
  finish(): JournalRecord[];
}

export function openRecorder(folder: string, shim: string): Recorder {
  const dataDir = join(folder, 'data');
  // The person who installs a gate creates its directory. The gate itself does everything later.
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const control = new ControlFile(folder);
  const journal = join(folder, 'journal');
  const marker = new Marker(journal);
  return {
    dataDir,
    env: shimEnvironment(shim, dataDir, control.path, journal),
    control,
    mark: (number) => marker.mark(number),
    finish() {
      marker.close();
      control.close();
      return readJournal(journal);
    },
  };
}
