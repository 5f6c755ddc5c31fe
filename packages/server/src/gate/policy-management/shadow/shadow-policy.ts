/** A second policy that is asked beside the one in force and never acted on: what it would have said, counted. */
import type { JsonObject } from '@permitry/protocol';
import type { Instant } from '../../kernel/instant.ts';
import type { Direction, Term } from '../comparison/compare-outcomes.ts';
import type { Said } from '../comparison/difference-tally.ts';

export interface ShadowPolicy {
  projectId: string;
  /** "sha256:…" over the canonical document. */
  hash: string;
  document: JsonObject;
  since: Instant;
  createdBy: string;
  /** Intents it was asked about since, and those of them it says something else about. */
  evaluated: number;
  diverged: number;
}

/** One intent that the shadow would have treated otherwise. */
export interface ShadowDivergence {
  intentId: string;
  at: Instant;
  inForce: Said;
  shadow: Said;
  direction: Direction;
  terms: readonly Term[];
}

/** How often something was found: a kind of divergence (`groupKey`), or a rule of the shadow whose condition failed. */
export interface ShadowCount {
  kind: 'divergence' | 'failure';
  name: string;
  count: number;
}

/** What was found since it was last written down. */
export interface ShadowFindings {
  evaluated: number;
  diverged: number;
  counts: readonly ShadowCount[];
  /** Oldest first. */
  divergences: readonly ShadowDivergence[];
}

/** How much is kept of a project's shadow: the newest divergences, and counts by name. */
export interface ShadowKeeping {
  divergences: number;
  counts: number;
}

export interface ShadowReader {
  findShadow(projectId: string): Promise<ShadowPolicy | undefined>;
  /** Most frequent first. */
  listShadowCounts(projectId: string): Promise<readonly ShadowCount[]>;
  /** Newest first; `place` is where the page after it begins. */
  listShadowDivergences(
    projectId: string,
    page: { before?: number; limit: number },
  ): Promise<readonly (ShadowDivergence & { position: number })[]>;
}

export interface ShadowWriter {
  /** In place of the one there was, whose findings go with it. */
  replaceShadow(shadow: ShadowPolicy): Promise<void>;
  /** With its findings; false when there was none. */
  removeShadow(projectId: string): Promise<boolean>;
  /** Guard: this shadow is still the one; false, and nothing is written, when it is not. */
  addShadowFindings(
    projectId: string,
    hash: string,
    findings: ShadowFindings,
    keep: ShadowKeeping,
  ): Promise<boolean>;
}
