import * as words from './asked-of.words.ts';

const NAMES: Readonly<Record<string, string>> = {
  'role:approver': words.anyApprover,
  'role:admin': words.anyAdmin,
  'role:owner': words.anOwner,
};

/** A readable name for an entry of a requirement: `any approver`, `finance`. */
export function sayFrom(name: string): string {
  return NAMES[name] ?? name;
}
