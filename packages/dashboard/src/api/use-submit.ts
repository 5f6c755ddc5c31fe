import { type SyntheticEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { ApiError } from './api-error.ts';

export interface Submit<Answer = unknown> {
  /** For `onSubmit` of a form, `onClick` of a button, or by hand. */
  submit: (event?: SyntheticEvent) => Promise<void>;
  busy: boolean;
  /** What was thrown last; null while trying again. */
  error: unknown;
  setError: (error: unknown) => void;
  /** What of the error no field says: for a panel. */
  problem: unknown;
  /** What came of it last; undefined until then. */
  answer: Answer | undefined;
}

/**
 * One thing a person asks for: is it on its way, and what came of it. What was typed stays where it is. After a refusal
 * the focus goes to the first field that is wrong.
 */
export function useSubmit<Answer>(action: () => Promise<Answer>): Submit<Answer> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [answer, setAnswer] = useState<Answer>();
  const form = useRef<Element | null>(null);
  const isRunning = useRef(false);
  const latest = useRef(action);
  latest.current = action;

  const submit = useCallback(async (event?: SyntheticEvent) => {
    event?.preventDefault();
    if (isRunning.current) return;
    form.current = event?.currentTarget.closest('form') ?? null;
    isRunning.current = true;
    setBusy(true);
    setError(null);
    try {
      setAnswer(await latest.current());
    } catch (refused) {
      setError(refused);
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  }, []);

  useLayoutEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [error]);

  return { submit, busy, error, setError, problem: error, answer };
}

/** The error, unless a field of the form (`names`) says it already. */
export function exceptFields(error: unknown, ...names: string[]): unknown {
  if (!(error instanceof ApiError) || error.fields.length === 0) return error;
  const isSaid = error.fields.every(({ path }) =>
    names.includes(path.replace(/^\//, '').replaceAll('/', '.')),
  );
  return isSaid ? null : error;
}

/** A problem found before anything is sent, as the gate would have told it. */
export function fieldProblem(name: string, message: string): ApiError {
  return new ApiError(0, { code: 'invalid_request', message, fields: [{ path: `/${name}`, message }] });
}
