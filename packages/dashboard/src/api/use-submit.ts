import { type SyntheticEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';
import { ApiError } from './api-error.ts';

export interface Submit<Answer = unknown> {
  /** For a form's `onSubmit`, a button's `onClick`, or a direct call. */
  submit: (event?: SyntheticEvent) => Promise<void>;
  busy: boolean;
  /** The last error; null during the next attempt. */
  error: unknown;
  setError: (error: unknown) => void;
  /** The part of the error that no field shows, for a panel. */
  problem: unknown;
  /** The last answer; undefined until then. */
  answer: Answer | undefined;
}

/**
 * One action that a person starts: its progress and its result. Typed text stays. After a refusal, the focus moves to
 * the first field with an error.
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

/** The error, unless a field of the form (`names`) already shows it. */
export function exceptFields(error: unknown, ...names: string[]): unknown {
  if (!(error instanceof ApiError) || error.fields.length === 0) return error;
  const isSaid = error.fields.every(({ path }) =>
    names.includes(path.replace(/^\//, '').replaceAll('/', '.')),
  );
  return isSaid ? null : error;
}

/** A problem found before sending, in the form that the gate would use. */
export function fieldProblem(name: string, message: string): ApiError {
  return new ApiError(0, { code: 'invalid_request', message, fields: [{ path: `/${name}`, message }] });
}
