import { ConditionFailure } from './failure.ts';
import { MAX_TEXT_LENGTH } from './limits.ts';
import type { MapValue, Value } from './value.ts';
import type { VariableName } from './variables.ts';

/** The data that conditions read for one request, and results that all conditions share. */
export class Subject {
  readonly variables: Readonly<Record<VariableName, Value>>;
  readonly #keys = new Map<MapValue, readonly string[]>();

  constructor(variables: Readonly<Record<VariableName, Value>>) {
    this.variables = variables;
  }

  /**
   * Listing the members of a large object is the only step whose cost is not counted beforehand, so each object is
   * listed once.
   */
  keysOf(map: MapValue): readonly string[] {
    const known = this.#keys.get(map);
    if (known) return known;
    const keys = Object.keys(map);
    this.#keys.set(map, keys);
    return keys;
  }
}

/** The evaluation of one condition: its remaining cost, and the current element of a walk over a list. */
export class Evaluation {
  readonly subject: Subject;
  /** The current element. Walks are never nested, so one variable is enough. */
  element: Value = null;
  #unitsLeft: number;

  constructor(subject: Subject, units: number) {
    this.subject = subject;
    this.#unitsLeft = units;
  }

  charge(units: number): void {
    this.#unitsLeft -= units;
    if (this.#unitsLeft < 0) throw new ConditionFailure('the condition costs more than allowed', true);
  }

  /** Charges for reading through a text. */
  chargeText(length: number): void {
    if (length > MAX_TEXT_LENGTH) {
      throw new ConditionFailure(`a text is longer than ${MAX_TEXT_LENGTH} characters`, true);
    }
    this.charge(1 + (length >> 4));
  }
}
