import { useEffect, useMemo, useState } from 'react';
import { formatJson } from '../document/format-json.ts';
import { type LocatedJson, locateJson } from '../document/locate-json.ts';
import { asPolicyDocument, type PolicyDocument } from '../document/policy-document.ts';
import type { Policy } from '../wire.ts';
import { forgetKept, type KeptDraft, keepDraft, readKept } from './kept-draft.ts';

export interface Draft {
  text: string;
  located: LocatedJson;
  /** Undefined while the text cannot be shown as rules. */
  document: PolicyDocument | undefined;
  /** The version that the draft started from, and its text. */
  base: KeptDraft['base'];
  original: string;
  isChanged: boolean;
  setText(text: string): void;
  setDocument(document: PolicyDocument): void;
  /** Starts over from this version. */
  reset(policy: Policy): void;
  /** Keeps the text and makes it a change to this version. */
  rebase(policy: Policy): void;
}

/** The draft of the policy until it is saved or discarded. It survives a visit to another page. */
export function useDraft(projectId: string, active: Policy): Draft {
  const [kept, setKept] = useState(() => readKept(projectId) ?? draftOf(active));
  const { text, base, original } = kept;
  const located = useMemo(() => locateJson(text), [text]);
  const isChanged = text !== original && !(located.ok && formatJson(located.value) === original);

  // Nothing is written yet, so a new version from somebody else replaces the text.
  useEffect(() => {
    if (base.hash !== active.hash && text === original) setKept(draftOf(active));
  }, [base.hash, active, text, original]);

  useEffect(() => {
    if (isChanged) keepDraft(projectId, kept);
    else forgetKept(projectId);
  }, [projectId, kept, isChanged]);

  return {
    text,
    located,
    document: useMemo(() => (located.ok ? asPolicyDocument(located.value) : undefined), [located]),
    base,
    original,
    isChanged,
    setText: (fresh) => setKept({ ...kept, text: fresh }),
    setDocument: (fresh) => setKept({ ...kept, text: formatPolicy(fresh) }),
    reset: (policy) => setKept(draftOf(policy)),
    rebase: (policy) => setKept({ ...draftOf(policy), text }),
  };
}

/** Writes members in their given order, without those that have no value. */
function formatPolicy(document: PolicyDocument): string {
  return formatJson(JSON.parse(JSON.stringify(document)));
}

function draftOf({ policy, version, hash }: Policy): KeptDraft {
  const original = formatJson(policy);
  return { text: original, original, base: { version, hash } };
}
