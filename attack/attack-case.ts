/** An attack: what the attack needs, what the gate must do, and the code that carries it out. */
import type { AisvsId } from './aisvs.ts';
import type { Need } from './range/needs.ts';
import type { Range } from './range/range.ts';
import type { ThreatId } from './threats.ts';

export interface AttackCase {
  /** `T`, the number of the first threat, and a name for the attempt. Never changed once published. */
  id: `T${string}`;
  title: string;
  threats: readonly ThreatId[];
  aisvs: readonly AisvsId[];
  /** One sentence: what the attacker does. */
  attack: string;
  /** What must happen instead. */
  expected: string;
  /** Credentials and permissions that the attack needs. */
  needs: readonly Need[];
  /**
   * `slow`: the case waits for a clock, so it runs beside others at the end. `last`: the case uses something up, or
   * checks the effects of all others.
   */
  when?: 'slow' | 'last';
  /** The result is for people to judge: reported, never passed. */
  measures?: true;
  /**
   * Carries out the attack.
   *
   * @returns further results to report, e.g. a measurement
   * @throws Undefended when the gate does not do what is expected
   */
  run(range: Range): Promise<string | undefined>;
}

/** Why no gate can run this case today, or why it cannot run from outside. */
interface UnrunCase extends Omit<AttackCase, 'run' | 'needs' | 'when' | 'measures'> {
  why: string;
}

export type CatalogueEntry = AttackCase | UnrunCase;

export function isRunnable(entry: CatalogueEntry): entry is AttackCase {
  return 'run' in entry;
}
