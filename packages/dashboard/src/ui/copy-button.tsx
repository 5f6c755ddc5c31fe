import { toast } from './announce.tsx';
import { Button, IconButton } from './button.tsx';
import * as words from './ui.words.ts';

/** Copies `text` to the clipboard. With `label` it is a text button, otherwise an icon. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast(words.copied(what));
    } catch {
      toast(words.notCopied(what), 'bad');
    }
  };
  if (label) {
    return (
      <Button icon="copy" onClick={copy}>
        {label}
      </Button>
    );
  }
  return <IconButton icon="copy" size="s" className="copy" label={words.copy(what)} onClick={copy} />;
}
