/** What an attack is: who it is made by, what must come of it, and how it is carried out. */
import type { AisvsId } from './aisvs.ts';
import type { Need } from './range/needs.ts';
import type { Range } from './range/range.ts';
import type { ThreatId } from './threats.ts';

export interface AttackCase {
  /** `T`, the number of the first threat, and what is tried; never changed once published. */
  id: `T${string}`;
  title: string;
  threats: readonly ThreatId[];
  aisvs: readonly AisvsId[];
  /** In one sentence: what the attacker does. */
  attack: string;
  /** What must happen instead. */
  expected: string;
  /** Credentials and permissions without which it is not run. */
  needs: readonly Need[];
  /** `slow`: waits for a clock, so that it runs beside others at the end. `last`: leaves something spent, or looks back on all. */
  when?: 'slow' | 'last';
  /** What it finds is for people to judge: reported, never passed. */
  measures?: true;
  /**
   * Carries it out.
   *
   * @returns what is worth reporting besides, e.g. a measurement
   * @throws Undefended where the gate does not do what is expected
   */
  run(range: Range): Promise<string | undefined>;
}

/** Why a case cannot be run at all against any gate of today, or not from outside. */
interface UnrunCase extends Omit<AttackCase, 'run' | 'needs' | 'when' | 'measures'> {
  why: string;
}

export type CatalogueEntry = AttackCase | UnrunCase;

export function isRunnable(entry: CatalogueEntry): entry is AttackCase {
  return 'run' in entry;
}
