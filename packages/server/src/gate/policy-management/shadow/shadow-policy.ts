/** A second policy that is evaluated beside the active one without effect. Its differences are counted. */
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
  /** The number of intents evaluated since then, and the number for which the two policies differ. */
  evaluated: number;
  diverged: number;
}

/** One intent that the shadow policy would have treated differently. */
export interface ShadowDivergence {
  intentId: string;
  at: Instant;
  inForce: Said;
  shadow: Said;
  direction: Direction;
  terms: readonly Term[];
}

/**
 * How often a finding occurred. A finding is a kind of difference (`groupKey`), or a failed condition of a rule of the
 * shadow policy.
 */
export interface ShadowCount {
  kind: 'divergence' | 'failure';
  name: string;
  count: number;
}

/** Findings since the last write. */
export interface ShadowFindings {
  evaluated: number;
  diverged: number;
  counts: readonly ShadowCount[];
  /** Oldest first. */
  divergences: readonly ShadowDivergence[];
}

/** The stored amount for a project's shadow policy: the latest differences, and counts by name. */
export interface ShadowKeeping {
  divergences: number;
  counts: number;
}

export interface ShadowReader {
  findShadow(projectId: string): Promise<ShadowPolicy | undefined>;
  /** Most frequent first. */
  listShadowCounts(projectId: string): Promise<readonly ShadowCount[]>;
  /** Newest first. `position` is where the next page begins. */
  listShadowDivergences(
    projectId: string,
    page: { before?: number; limit: number },
  ): Promise<readonly (ShadowDivergence & { position: number })[]>;
}

export interface ShadowWriter {
  /** Replaces the shadow policy, and deletes the findings of the old one. */
  replaceShadow(shadow: ShadowPolicy): Promise<void>;
  /** Removes the shadow policy with its findings. False if there was none. */
  removeShadow(projectId: string): Promise<boolean>;
  /** Guard: this is still the shadow policy. If not, writes nothing and returns false. */
  addShadowFindings(
    projectId: string,
    hash: string,
    findings: ShadowFindings,
    keep: ShadowKeeping,
  ): Promise<boolean>;
}
