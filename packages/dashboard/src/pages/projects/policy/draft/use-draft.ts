import { useEffect, useMemo, useState } from 'react';
import { formatJson } from '../document/format-json.ts';
import { type LocatedJson, locateJson } from '../document/locate-json.ts';
import { asPolicyDocument, type PolicyDocument } from '../document/policy-document.ts';
import type { Policy } from '../wire.ts';
import { forgetKept, type KeptDraft, keepDraft, readKept } from './kept-draft.ts';

export interface Draft {
  text: string;
  located: LocatedJson;
  /** Undefined while it cannot be shown as rules. */
  document: PolicyDocument | undefined;
  /** The version it was made from, and its text. */
  base: KeptDraft['base'];
  original: string;
  isChanged: boolean;
  setText(text: string): void;
  setDocument(document: PolicyDocument): void;
  /** Begins anew from this version. */
  reset(policy: Policy): void;
  /** Keeps the text, and takes it for a change of this version. */
  rebase(policy: Policy): void;
}

/** What is being written, until it is saved or discarded; it outlives a walk to another page. */
export function useDraft(projectId: string, inForce: Policy): Draft {
  const [kept, setKept] = useState(() => readKept(projectId) ?? draftOf(inForce));
  const { text, base, original } = kept;
  const located = useMemo(() => locateJson(text), [text]);
  const isChanged = text !== original && !(located.ok && formatJson(located.value) === original);

  // Nothing was written yet: somebody else's new version is shown as it comes.
  useEffect(() => {
    if (base.hash !== inForce.hash && text === original) setKept(draftOf(inForce));
  }, [base.hash, inForce, text, original]);

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

/** Members are written in the order they have; those without a value are left out. */
function formatPolicy(document: PolicyDocument): string {
  return formatJson(JSON.parse(JSON.stringify(document)));
}

function draftOf({ policy, version, hash }: Policy): KeptDraft {
  const original = formatJson(policy);
  return { text: original, original, base: { version, hash } };
}
