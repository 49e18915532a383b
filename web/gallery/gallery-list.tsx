/** Shows the gallery: a picture of each template, and its data sets to choose from. */
import './gallery.css';
import { useState } from 'preact/hooks';
import { type ChosenTemplate, GALLERY, type GalleryTemplate, loadTemplate, sampleTitle } from './gallery.ts';

export function GalleryList({ onChoose }: { onChoose(template: ChosenTemplate): void }) {
  const [failed, setFailed] = useState(false);
  const choose = async (template: GalleryTemplate, sample: string) => {
    try {
      onChoose(await loadTemplate(template, sample));
    } catch {
      setFailed(true);
    }
  };
  return (
    <>
      {failed && <p role="alert">The template could not be loaded. Check the connection and try again.</p>}
      <ul class="gallery">
        {GALLERY.map((template) => (
          <li key={template.folder}>
            <GalleryCard template={template} onChoose={(sample) => void choose(template, sample)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function GalleryCard({ template, onChoose }: { template: GalleryTemplate; onChoose(sample: string): void }) {
  const { name, about, picture, samples } = template;
  const [first, ...others] = samples;
  if (first === undefined) return null;
  return (
    <>
      <button type="button" class="gallery-card" onClick={() => onChoose(first)}>
        <img src={picture} alt="" width={240} height={300} loading="lazy" />
        <strong>{name}</strong>
        <span class="hint">{about}</span>
      </button>
      <span class="gallery-samples">
        {others.length > 0 && <span class="hint">Other data:</span>}
        {others.map((sample) => (
          <button type="button" class="button small" key={sample} onClick={() => onChoose(sample)}>
            <span class="visually-hidden">{name}: </span>
            {sampleTitle(sample)}
          </button>
        ))}
      </span>
    </>
  );
}
