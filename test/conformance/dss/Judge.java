import eu.europa.esig.dss.diagnostic.SignatureWrapper;
import eu.europa.esig.dss.model.FileDocument;
import eu.europa.esig.dss.model.x509.CertificateToken;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.validation.SignedDocumentValidator;
import eu.europa.esig.dss.validation.reports.Reports;
import java.io.File;

/** Says of each PDF which level its signatures have, and whether EU DSS finds them intact: a trusted certificate and files in, one line for each signature out. */
public class Judge {
  public static void main(String[] given) {
    CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
    CertificateToken root = DSSUtils.loadCertificate(new File(given[0]));
    trusted.addCertificate(root);
    CommonCertificateVerifier verifier = new CommonCertificateVerifier();
    verifier.setTrustedCertSources(trusted);
    verifier.setAIASource(null);
    for (int index = 1; index < given.length; index++) {
      SignedDocumentValidator validator = SignedDocumentValidator.fromDocument(new FileDocument(given[index]));
      validator.setCertificateVerifier(verifier);
      Reports reports = validator.validateDocument();
      SimpleReport report = reports.getSimpleReport();
      for (SignatureWrapper signature : reports.getDiagnosticData().getSignatures())
        System.out.println(String.join("\t", new File(given[index]).getName(), report.getSignatureFormat(signature.getId()).toString(),
            "intact=" + signature.isSignatureIntact(), "valid=" + signature.isSignatureValid(), "digests=" + signature.isStructuralValidationValid(),
            "stamps=" + signature.getTimestampList().size(), String.valueOf(report.getIndication(signature.getId())),
            String.valueOf(report.getSubIndication(signature.getId())), String.valueOf(report.getAdESValidationErrors(signature.getId()).size())));
    }
  }
}
