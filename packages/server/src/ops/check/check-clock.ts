import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Finding, findingsOr } from './finding.ts';

/** The largest difference to expect between clocks that are synchronised over the network. */
const BEARABLE_MS = 5000;
/** With a larger difference, things that expired long ago would be valid again. */
const DANGEROUS_MS = 60_000;

/** Compares this machine's clock with the database's, and with the times of files that a gate wrote. */
export function checkClock({
  dataDir,
  now,
  clockAheadMs,
}: {
  dataDir: string;
  now: number;
  /** Null: no database was asked. */
  clockAheadMs: number | null;
}): readonly Finding[] {
  const findings: Finding[] = [];
  const say = (state: Finding['state'], message: string) => findings.push({ part: 'clock', state, message });
  if (clockAheadMs !== null && Math.abs(clockAheadMs) > BEARABLE_MS)
    say(
      'warning',
      `This machine's clock is ${seconds(clockAheadMs)} ${clockAheadMs > 0 ? 'behind' : 'ahead of'} the database's clock, which gates use. Set it by NTP.`,
    );
  const latest = latestFile(dataDir);
  const aheadMs = latest ? latest.writtenAt - now : 0;
  if (latest && aheadMs > BEARABLE_MS)
    say(
      aheadMs > DANGEROUS_MS && clockAheadMs === null ? 'problem' : 'warning',
      `This machine's clock is ${seconds(aheadMs)} behind the time at which ${latest.path} was written, so expired permits and keys would be valid again. Set it by NTP before you start a gate.`,
    );
  return findingsOr(findings, 'clock', new Date(now).toISOString());
}

function latestFile(directory: string): { path: string; writtenAt: number } | undefined {
  if (!existsSync(directory)) return undefined;
  return [directory, join(directory, 'keys')]
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .flatMap((path) => {
      // A file that is being replaced may be gone.
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() ? [{ path, writtenAt: found.mtimeMs }] : [];
    })
    .sort((one, other) => other.writtenAt - one.writtenAt)[0];
}

function seconds(milliseconds: number): string {
  return `${Math.round(Math.abs(milliseconds) / 1000)} seconds`;
}
