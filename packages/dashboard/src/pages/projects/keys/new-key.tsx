import { CodeBlock } from '../../../ui/code-block.tsx';
import { ShownOnce } from '../../../ui/shown-once.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import type { MadeKey } from '../project-frame/wire.ts';
import { labelOfKind } from './key-kinds.ts';
import { environmentOf, FIRST_PROTECTED, firstCallOf, mcpEntryOf } from './key-snippets.ts';

const FIRST_CALL: Record<Exclude<MadeKey['kind'], 'agent'>, string> = {
  secret: 'Then list pending requests:',
  verify: 'Then, where an action runs, verify and use its permit:',
};

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
      what="key"
      text={key}
      title={`${labelOfKind(kind)}: shown this once.`}
      note="The gate keeps only its hash. Whoever has it can act with it, so it belongs in a secret store, never in code."
      copyTo="where it is to live"
      otherwise="Revoke it, and make another."
      doneLabel={doneLabel}
      onDone={onDone}
    >
      {kind === 'agent' ? (
        <AgentStart agentKey={key ?? ''} />
      ) : (
        <>
          <p>Where the program runs:</p>
          <Environment kind={kind} keyText={key ?? ''} />
          <p>{FIRST_CALL[kind]}</p>
          <CodeBlock code={firstCallOf(kind)} title="First call" what="the command" />
        </>
      )}
    </ShownOnce>
  );
}

function Environment({ kind, keyText }: { kind: MadeKey['kind']; keyText: string }) {
  return (
    <CodeBlock
      code={environmentOf(window.location.origin, kind, keyText)}
      title="Environment"
      what="the environment"
      wrap
    />
  );
}

/** Three ways to send the first request. The first two read the same two variables. */
function AgentStart({ agentKey }: { agentKey: string }) {
  const environment = (
    <>
      <p>Where the agent runs:</p>
      <Environment kind="agent" keyText={agentKey} />
    </>
  );
  return (
    <Tabs
      label="Send the first request"
      tabs={[
        {
          id: 'sdk',
          label: 'SDK',
          content: (
            <div className="stack">
              {environment}
              <p>Then run this with Node. It sends the first request and waits for the decision:</p>
              <CodeBlock code={FIRST_PROTECTED} title="hello.mjs" what="the program" />
            </div>
          ),
        },
        {
          id: 'curl',
          label: 'curl',
          content: (
            <div className="stack">
              {environment}
              <p>Then send the first request:</p>
              <CodeBlock code={firstCallOf('agent')} title="First call" what="the command" />
            </div>
          ),
        },
        {
          id: 'mcp',
          label: 'MCP',
          content: (
            <div className="stack">
              <p>In the configuration of the MCP client. It holds the key, so keep the file private:</p>
              <CodeBlock
                code={mcpEntryOf(window.location.origin, agentKey)}
                title="mcp.json"
                what="the entry"
              />
              <p className="soft small">
                The client is offered the tools on the page Tools. The first call of one that requires
                approval is the first request.
              </p>
            </div>
          ),
        },
      ]}
    />
  );
}
