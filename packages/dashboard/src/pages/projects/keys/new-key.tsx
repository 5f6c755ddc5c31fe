import { CodeBlock } from '../../../ui/code-block.tsx';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import type { MadeKey } from '../project-frame/wire.ts';
import { labelOfKind } from './key-kinds.ts';
import { environmentOf, firstCallOf } from './key-snippets.ts';

const FIRST_CALL: Record<MadeKey['kind'], string> = {
  agent: 'Then send the first request:',
  secret: 'Then see what waits:',
  verify: 'Then, where an action is carried out, check and use its permit:',
};

/** A key as it is shown, this once, with what to paste to use it. */
export function NewKey({
  made: { key, kind },
  doneLabel,
  onDone,
}: {
  made: MadeKey;
  doneLabel: string;
  onDone: () => void;
}) {
  return (
    <ShownOnce
      what="key"
      text={key}
      title={`${labelOfKind(kind)}: shown this once.`}
      note="The gate keeps only its hash. Whoever has it can act with it, so it belongs in a secret store, never in code."
      copyTo="where it is to live"
      otherwise="Revoke it, and make another."
      doneLabel={doneLabel}
      onDone={onDone}
    >
      <p>Where the program runs:</p>
      <CodeBlock
        code={environmentOf(window.location.origin, kind, key ?? '')}
        title="Environment"
        what="the environment"
        wrap
      />
      <p>{FIRST_CALL[kind]}</p>
      <CodeBlock code={firstCallOf(kind)} title="First call" what="the command" />
    </ShownOnce>
  );
}
