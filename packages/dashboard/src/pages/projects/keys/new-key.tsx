import { CodeBlock } from '../../../ui/code-block.tsx';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import type { MadeKey } from '../project-frame/wire.ts';
import { environmentOf, FIRST_PROTECTED, firstCallOf, mcpEntryOf } from './key-snippets.ts';
import * as words from './keys.words.ts';

/** A new key, shown once, with snippets to paste. */
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
      what={words.newKey.what}
      text={key}
      title={words.shownOnce(kind)}
      note={words.newKey.note}
      copyTo={words.newKey.copyTo}
      otherwise={words.newKey.ifLost}
      doneLabel={doneLabel}
      onDone={onDone}
    >
      {kind === 'agent' ? (
        <AgentStart agentKey={key ?? ''} />
      ) : (
        <>
          <Environment kind={kind} keyText={key ?? ''} />
          <p>{words.thenCall[kind]}</p>
          <CodeBlock
            code={firstCallOf(kind)}
            title={words.snippets.firstCall}
            what={words.snippets.theCommand}
          />
        </>
      )}
    </ShownOnce>
  );
}

function Environment({ kind, keyText }: { kind: MadeKey['kind']; keyText: string }) {
  return (
    <>
      <p>{words.setVariables[kind]}</p>
      <CodeBlock
        code={environmentOf(window.location.origin, kind, keyText)}
        title={words.snippets.environment}
        what={words.snippets.theEnvironment}
        wrap
      />
    </>
  );
}

/** Three ways to send the first request. The first two read the same two variables. */
function AgentStart({ agentKey }: { agentKey: string }) {
  const environment = <Environment kind="agent" keyText={agentKey} />;
  return (
    <Tabs
      label={words.snippets.firstRequest}
      tabs={[
        {
          id: 'sdk',
          label: 'SDK',
          content: (
            <div className="stack">
              {environment}
              <p>{words.thenRun}</p>
              <CodeBlock code={FIRST_PROTECTED} title="hello.mjs" what={words.snippets.theProgram} />
            </div>
          ),
        },
        {
          id: 'curl',
          label: 'curl',
          content: (
            <div className="stack">
              {environment}
              <p>{words.thenCall.agent}</p>
              <CodeBlock
                code={firstCallOf('agent')}
                title={words.snippets.firstCall}
                what={words.snippets.theCommand}
              />
            </div>
          ),
        },
        {
          id: 'mcp',
          label: 'MCP',
          content: (
            <div className="stack">
              <p>{words.mcpEntry}</p>
              <CodeBlock
                code={mcpEntryOf(window.location.origin, agentKey)}
                title="mcp.json"
                what={words.snippets.theConfiguration}
              />
              <p className="soft small">{words.mcpTools}</p>
            </div>
          ),
        },
      ]}
    />
  );
}
