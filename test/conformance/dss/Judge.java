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

/** Validates PDFs with EU DSS, arguments a trusted certificate and the files. Prints the level and the verdicts of each signature in one line. */
public class Judge {
  public static void main(String[] arguments) {
    CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
    CertificateToken root = DSSUtils.loadCertificate(new File(arguments[0]));
    trusted.addCertificate(root);
    CommonCertificateVerifier verifier = new CommonCertificateVerifier();
    verifier.setTrustedCertSources(trusted);
    verifier.setAIASource(null);
    for (int index = 1; index < arguments.length; index++) {
      SignedDocumentValidator validator = SignedDocumentValidator.fromDocument(new FileDocument(arguments[index]));
      validator.setCertificateVerifier(verifier);
      Reports reports = validator.validateDocument();
      SimpleReport report = reports.getSimpleReport();
      for (SignatureWrapper signature : reports.getDiagnosticData().getSignatures())
        System.out.println(String.join("\t", new File(arguments[index]).getName(), report.getSignatureFormat(signature.getId()).toString(),
            "intact=" + signature.isSignatureIntact(), "valid=" + signature.isSignatureValid(), "digests=" + signature.isStructuralValidationValid(),
            "stamps=" + signature.getTimestampList().size(), String.valueOf(report.getIndication(signature.getId())),
            String.valueOf(report.getSubIndication(signature.getId())), String.valueOf(report.getAdESValidationErrors(signature.getId()).size())));
    }
  }
}
