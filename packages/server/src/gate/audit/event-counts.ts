import { EVENT_TYPES, type EventType, OUTCOMES, type Outcome } from '@permitry/protocol';
import type { EventToRecord } from './record-event.ts';

/** How many events this process committed, for metrics. Each type and outcome starts at zero. */
export class EventCounts {
  readonly types: Record<EventType, number> = zeroEach(EVENT_TYPES);
  /** For `outcome.reported`, by outcome. */
  readonly outcomes: Record<Outcome, number> = zeroEach(OUTCOMES);

  /** Call it after the commit. */
  add({ type, data }: Pick<EventToRecord, 'type' | 'data'>): void {
    this.types[type] += 1;
    const outcome = type === 'outcome.reported' && OUTCOMES.find((known) => known === data?.outcome);
    if (outcome) this.outcomes[outcome] += 1;
  }
}

function zeroEach<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
