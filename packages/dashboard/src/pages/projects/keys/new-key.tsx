import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import type { MadeKey } from '../project-frame/wire.ts';
import { labelOfKind } from './key-kinds.ts';
import { environmentOf, firstCallOf } from './key-snippets.ts';
import './new-key.css';

const FIRST_CALL: Record<MadeKey['kind'], string> = {
  agent: 'Then send the first request:',
  secret: 'Then see what waits:',
  verify: 'Then, where an action is carried out, check and use its permit:',
};

/** A key as it is shown, this once, with what to paste to use it. One goes on by saying that one has kept it. */
export function NewKey({
  made,
  doneLabel,
  onDone,
}: {
  made: MadeKey;
  doneLabel: string;
  onDone: () => void;
}) {
  const [isKept, setKept] = useState(false);
  const [problem, setProblem] = useState('');
  const { key, kind } = made;
  if (key === undefined) {
    return (
      <Notice tone="warn" title="The key was shown already.">
        It cannot be shown again. Revoke it, and make another.
      </Notice>
    );
  }
  const done = () => {
    if (isKept) onDone();
    else setProblem('Copy it to where it is to live first: it cannot be shown again.');
  };
  return (
    <div className="stack">
      <Notice tone="warn" title={`${labelOfKind(kind)}: shown this once.`}>
        The gate keeps only its hash. Whoever has it can act with it, so it belongs in a secret store, never
        in code.
      </Notice>
      <div className="new-key">
        <code>{key}</code>
        <CopyButton text={key} what="the key" label="Copy the key" />
      </div>
      <p>Where the program runs:</p>
      <CodeBlock
        code={environmentOf(window.location.origin, kind, key)}
        title="Environment"
        what="the environment"
        wrap
      />
      <p>{FIRST_CALL[kind]}</p>
      <CodeBlock code={firstCallOf(kind)} title="First call" what="the command" />
      <Checkbox
        label="I have kept the key"
        checked={isKept}
        error={problem && !isKept ? problem : undefined}
        onChange={(event) => setKept(event.target.checked)}
      />
      <div className="button-row">
        <Button tone="primary" onClick={done}>
          {doneLabel}
        </Button>
      </div>
    </div>
  );
}
