import { useRef, useState } from 'react';
import { fieldError } from './api-error.ts';
import { exceptFields, type Submit, useSubmit } from './use-submit.ts';

export interface Form<Draft, Answer = unknown> extends Submit<Answer> {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  /** What a field of a text takes: its value, what is wrong with it, and what is typed. */
  field: <Name extends keyof Draft & string>(
    name: Name,
  ) => {
    value: Draft[Name];
    error: string | undefined;
    onChange: (event: { target: { value: string } }) => void;
  };
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
    field(name) {
      fields.current.push(name);
      return {
        value: draft[name],
        error: fieldError(sending.error, name),
        onChange: ({ target }) => set({ [name]: target.value } as Partial<Draft>),
      };
    },
  };
}
