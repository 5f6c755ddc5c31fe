import { useRef, useState } from 'react';
import { fieldError } from './api-error.ts';
import { exceptFields, type Submit, useSubmit } from './use-submit.ts';

/** The props of a text field: its value, its error, and a change handler that applies `clean`. */
type FieldOf<Draft> = <Name extends keyof Draft & string>(
  name: Name,
  clean?: (text: string) => string,
) => {
  value: Draft[Name];
  error: string | undefined;
  onChange: (event: { target: { value: string } }) => void;
};

export interface Form<Draft, Answer = unknown> extends Submit<Answer> {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  field: FieldOf<Draft>;
}

/** The props of a text field for a draft that is held elsewhere. */
export function fieldsOf<Draft>(
  draft: Draft,
  set: (part: Partial<Draft>) => void,
  errorOf: (name: string) => string | undefined = () => undefined,
): FieldOf<Draft> {
  return (name, clean = (text) => text) => ({
    value: draft[name],
    error: errorOf(name),
    onChange: ({ target }) => set({ [name]: clean(target.value) } as Partial<Draft>),
  });
}

/**
 * A form that is filled in and then sent. The draft's members have the names that the gate uses in its field errors.
 */
export function useForm<Draft extends object, Answer>(
  initial: Draft | (() => Draft),
  send: (draft: Draft) => Promise<Answer>,
): Form<Draft, Answer> {
  const [draft, setDraft] = useState(initial);
  // The fields of the last render. The panel shows errors of all other fields.
  const fields = useRef<string[]>([]);
  const shown = fields.current;
  fields.current = [];
  const sending = useSubmit(() => send(draft));
  const set = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  return {
    ...sending,
    problem: exceptFields(sending.error, ...shown),
    draft,
    set,
    field: fieldsOf(draft, set, (name) => {
      fields.current.push(name);
      return fieldError(sending.error, name);
    }),
  };
}
