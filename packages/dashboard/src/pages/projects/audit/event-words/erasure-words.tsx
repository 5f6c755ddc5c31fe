/** Texts that were erased, and when they are. */
import { count, type EventWords } from './wording.tsx';

const ERASED: Readonly<Record<string, string>> = {
  intent: 'of one request',
  person: 'of one person',
  age: 'that were old enough',
};

export const ERASURE_WORDS = {
  'text.erased': {
    group: 'project',
    label: 'Texts erased',
    says: (data) => <>erased texts {ERASED[String(data.subject)] ?? ''}</>,
  },
  'retention.updated': {
    group: 'project',
    label: 'Retention set',
    says: (data) =>
      data.days === null
        ? 'left to the gate how long texts are kept'
        : data.days === 0
          ? 'had texts kept for ever'
          : `had texts kept for ${count(data.days, 'day', 'days')}`,
  },
} satisfies EventWords;
