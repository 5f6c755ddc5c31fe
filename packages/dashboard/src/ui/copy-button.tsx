import { toast } from './announce.tsx';
import { Button, IconButton } from './button.tsx';

/** Puts `text` on the clipboard. With `label` it is a button with words, else a small drawing. */
export function CopyButton({ text, what, label }: { text: string; what: string; label?: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      toast(`Copied ${what}.`);
    } catch {
      toast(`The browser did not let the page copy ${what}. Select it and copy it by hand.`, 'bad');
    }
  };
  if (label) {
    return (
      <Button icon="copy" onClick={copy}>
        {label}
      </Button>
    );
  }
  return <IconButton icon="copy" size="s" className="copy" label={`Copy ${what}`} onClick={copy} />;
}
