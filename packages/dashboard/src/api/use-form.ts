import { useRef, useState } from 'react';
import { fieldError } from './api-error.ts';
import { exceptFields, type Submit, useSubmit } from './use-submit.ts';

/** What a field of a text takes: its value, what is wrong with it, and what is typed, as `clean` leaves it. */
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

/** For a draft that is held elsewhere. */
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

/** What is filled in and then sent; its members have the names by which the gate tells what is wrong with them. */
export function useForm<Draft extends object, Answer>(
  initial: Draft | (() => Draft),
  send: (draft: Draft) => Promise<Answer>,
): Form<Draft, Answer> {
  const [draft, setDraft] = useState(initial);
  // Those that stood there when it was last drawn: what is wrong with any other is for the panel.
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
