/** What the benchmark knows about a store that it seeded: `manifest.json` beside the data directory. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SeededProject {
  id: string;
  secretKey: string;
  verifierKey: string;
}

export interface SeededAgent {
  /** Index into `projects`. */
  project: number;
  key: string;
}

/** A pending intent that lasts for days. Agent `agent` of the list created it, with the params of `index`. */
export interface SeededPending {
  id: string;
  agent: number;
  index: number;
}

export interface Manifest {
  seededAt: string;
  /** The number of intents. */
  count: number;
  /** Counts by status, and how many were consumed. */
  fates: Record<string, number>;
  /** The first project is the measured one, and the first of `agents` belongs to it. */
  projects: SeededProject[];
  agents: SeededAgent[];
  /** In random order, drawn from the whole store. */
  pending: { ordinary: SeededPending[]; lasting: SeededPending[] };
  sample: { id: string; agent: number }[];
  /** Intents of the first project, oldest first: the end of the project's list. */
  oldest: string[];
}

export const dataOf = (directory: string): string => join(directory, 'data');

const fileOf = (directory: string): string => join(directory, 'manifest.json');

export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(fileOf(directory), 'utf8'));
}

export function writeManifest(directory: string, manifest: Manifest): void {
  writeFileSync(fileOf(directory), JSON.stringify(manifest));
}
